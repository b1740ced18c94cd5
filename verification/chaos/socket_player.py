"""A player over WebSocket, which subscribes and acts on one socket, and retries each action with its key."""

import asyncio
from typing import Any

import aiohttp
import msgspec

from south_seas import Client, ClientError
from verification.chaos.client_context import ClientContext, GameEnd
from verification.chaos.history import Acknowledged, Invoked, Rejected, Retried
from verification.chaos.subscribers import CONNECTION_ERRORS, SocketSubscriber

RETRY_DELAY_S = 0.05
POLL_INTERVAL_S = 0.03

RETRYABLE_CODES = ("store_unavailable", "rate_limited")
RETRY_PROBABILITY = 0.1


class SocketPlayer(SocketSubscriber):
    """Plays a seat, and sends each action for the version of its replica."""

    def __init__(self, context: ClientContext, end: GameEnd, client: str, game: str, token: str, seat: int) -> None:
        super().__init__(context, end, client, game, token)
        end.players.add(client)
        self.seat = seat
        self._api = Client(context.url, token, session=context.session, backoff=context.backoff)
        self._response: dict[str, Any] | None = None
        self._pending: dict[str, Any] | None = None
        self._number = 0
        self._has_stopped = False

    @property
    def is_active(self) -> bool:
        """Whether the player still needs its subscription."""
        return not self._has_stopped

    async def run(self) -> None:
        """Play to the end."""
        async with asyncio.TaskGroup() as group:
            playing = group.create_task(self._play())
            await super().run()
            if self._is_missing:
                playing.cancel()

    async def on_message(self, message: dict[str, Any], socket: aiohttp.ClientWebSocketResponse) -> None:
        """Handle a message; a response resolves the action that waits for it."""
        if self._pending is not None and message.get("id") == self._pending["id"]:
            if message["type"] == "ack" and (self.replica.version or 0) < message["version"]:
                self._record_violation(f"the ack of version {message['version']} came before its diff")
            self._response = message
        await super().on_message(message, socket)

    async def _play(self) -> None:
        while await self._wait_for_turn():
            await self.context.think_time.sleep(self._rng)
            version, digest = self.replica.version, self.replica.digest
            try:
                legal = await self._api.legal_moves(self.replica.game)
            except ClientError as error:
                self._record_violation(f"legal moves: {error!r}")
                continue
            if (legal.version, legal.digest, legal.seat) == (version, digest, self.seat):
                await self._act(self._rng.choice(legal.moves).id, f"{version}-{digest}")
            else:
                await asyncio.sleep(0.02)
        self._has_stopped = True
        if self.socket is not None:
            await self.socket.close()

    async def _wait_for_turn(self) -> bool:
        """Wait for the seat's turn. Return False once all players have seen the same end of the game."""
        while self.replica.decider != self.seat:
            if self.replica.is_finished and self.replica.digest is not None:
                self.end.digests[self.client] = self.replica.digest
            if self.end.is_agreed:
                return False
            await asyncio.sleep(POLL_INTERVAL_S)
        self.end.digests.pop(self.client, None)
        return True

    async def _act(self, move: str, if_match: str) -> None:
        self._number += 1
        key = f"{self.client}-{self._number}"
        self.context.history.add(
            Invoked(client=self.client, game=self.replica.game, key=key, move=move, seat=self.seat, if_match=if_match)
        )
        message = {"type": "act", "game": self.replica.game, "move": move, "if_match": if_match, "key": key}
        response, attempts = await self._send_with_retries(message)
        if response["type"] == "ack":
            self.context.history.add(
                Acknowledged(
                    client=self.client, key=key, version=response["version"], digest=response["digest"], diffs=None
                )
            )
            if self._rng.random() < RETRY_PROBABILITY:
                second, _ = await self._send_with_retries(message)
                is_equal = all(second.get(name) == response[name] for name in ("type", "version", "digest"))
                self.context.history.add(Retried(client=self.client, key=key, is_equal=is_equal))
            return
        problem = response["problem"]
        self.context.history.add(Rejected(client=self.client, key=key, code=problem["code"], attempts=attempts))
        if problem["code"] not in ("version_mismatch", "not_active", "not_your_turn"):
            self._record_violation(f"{key} was rejected: {problem['code']} {problem['detail']}")

    async def _send_with_retries(self, message: dict[str, Any]) -> tuple[dict[str, Any], int]:
        """Send a message until there is a final response. Return it and the number of attempts."""
        attempts = 0
        while True:
            attempts += 1
            self._pending, self._response = {**message, "id": f"{message['key']}.{attempts}"}, None
            try:
                response = await self._send_once(self._pending)
            except CONNECTION_ERRORS:
                await asyncio.sleep(RETRY_DELAY_S)  # a closing socket fails at once
                continue
            finally:
                self._pending = None
            problem = response.get("problem")
            if problem is None or not (
                problem["code"] in RETRYABLE_CODES or (problem["code"] == "conflict" and attempts > 1)
            ):
                return response, attempts
            await asyncio.sleep(self._rng.uniform(0.1, 0.5))

    async def _send_once(self, message: dict[str, Any]) -> dict[str, Any]:
        """Send a message over this connection, or the next one. Raise an error of CONNECTION_ERRORS if it ends."""
        async with self.changed:
            await self.changed.wait_for(lambda: self.socket is not None)
        socket = self.socket
        assert socket is not None
        await socket.send_str(msgspec.json.encode(message).decode())
        try:
            async with asyncio.timeout(self.context.backoff.timeout_s), self.changed:
                await self.changed.wait_for(lambda: self._response is not None or self.socket is not socket)
        except TimeoutError:
            await socket.close()
            raise
        if self._response is None:
            raise ConnectionError
        return self._response

    def _record_violation(self, detail: str) -> None:
        self.context.history.add_violation(self.client, f"{self.replica.game}: {detail}")

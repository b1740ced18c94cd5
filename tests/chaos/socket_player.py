"""A player over WebSocket: watches its game, and acts on the same socket, with keys, through lost connections."""

import asyncio
import random
from typing import Any

import aiohttp
import msgspec

from south_seas import Client, ClientError
from tests.chaos.client_context import ClientContext, SessionState
from tests.chaos.history import Acknowledged, ContractViolation, Invoked, Rejected, Retried
from tests.chaos.subscribers import CONNECTION_ERRORS, SocketSubscriber

__all__ = ["SocketPlayer"]

RESPONSE_TIMEOUT_S = 4.0
"""An action without an answer for so long is asked for again, over another connection."""

RETRY_DELAY_S = 0.05
POLL_INTERVAL_S = 0.03

RETRYABLE_CODES = ("store_unavailable", "rate_limited")
RETRY_PROBABILITY = 0.1


class SocketPlayer(SocketSubscriber):
    """Plays a seat, and guards each action by the version that it sees."""

    def __init__(
        self, world: ClientContext, table: SessionState, client: str, game: str, token: str, seat: int
    ) -> None:
        super().__init__(world, table, client, game, token)
        table.players.add(client)
        self.seat = seat
        self._asking = Client(world.url, token, session=world.session, backoff=world.backoff)
        self._chance = random.Random(f"{client}")
        self._answer: dict[str, Any] | None = None
        self._pending: dict[str, Any] | None = None
        self._number = 0
        self._played = False

    @property
    def waits(self) -> bool:
        """Whether there is more to hear: the end of the game, and the answer to the last action."""
        return not self._played

    async def run(self) -> None:
        """Play to the end."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._play())
            await super().run()

    async def on_message(self, message: dict[str, Any], socket: aiohttp.ClientWebSocketResponse) -> None:
        """Handle a message; a response resolves the action that waits for it."""
        if self._pending is not None and message.get("id") == self._pending["id"]:
            if message["type"] == "ack" and (self.copy.version or 0) < message["version"]:
                self._record_violation(f"the ack of version {message['version']} came before its diff")
            self._answer = message
        await super().on_message(message, socket)

    async def _play(self) -> None:
        while await self._my_turn():
            await self.world.pace.think(self._chance)
            version, digest = self.copy.version, self.copy.digest
            try:
                legal = await self._asking.legal_moves(self.copy.game)
            except ClientError as error:
                self._record_violation(f"legal moves: {error!r}")
                continue
            if (legal.version, legal.digest, legal.seat) == (version, digest, self.seat):
                await self._act(self._chance.choice(legal.moves).id, f"{version}-{digest}")
            else:
                await asyncio.sleep(0.02)
        self._played = True
        if self.socket is not None:
            await self.socket.close()

    async def _my_turn(self) -> bool:
        """Wait for it; False when all players know that the game is over."""
        while self.copy.decider != self.seat:
            if self.copy.is_finished and self.copy.digest is not None:
                self.table.satisfied[self.client] = self.copy.digest
            if self.table.is_agreed:
                return False
            await asyncio.sleep(POLL_INTERVAL_S)
        self.table.satisfied.pop(self.client, None)
        return True

    async def _act(self, move: str, if_match: str) -> None:
        self._number += 1
        key = f"{self.client}-{self._number}"
        self.world.history.add(
            Invoked(client=self.client, game=self.copy.game, key=key, move=move, seat=self.seat, if_match=if_match)
        )
        requested = {"type": "act", "game": self.copy.game, "move": move, "if_match": if_match, "key": key}
        answer, tries = await self._send_until_answered(requested)
        if answer["type"] == "ack":
            self.world.history.add(
                Acknowledged(
                    client=self.client,
                    key=key,
                    version=answer["version"],
                    digest=answer["digest"],
                    diffs=None,
                    attempts=tries,
                )
            )
            if self._chance.random() < RETRY_PROBABILITY:
                again, _ = await self._send_until_answered(requested)
                equal = all(again.get(name) == answer[name] for name in ("type", "version", "digest"))
                self.world.history.add(Retried(client=self.client, key=key, is_equal=equal))
            return
        problem = answer["problem"]
        self.world.history.add(Rejected(client=self.client, key=key, code=problem["code"], attempts=tries))
        if problem["code"] not in ("version_mismatch", "not_active", "not_your_turn"):
            self._record_violation(f"{key} was refused: {problem['code']} {problem['detail']}")

    async def _send_until_answered(self, asked: dict[str, Any]) -> tuple[dict[str, Any], int]:
        """Ask, over as many connections as it takes, until there is a final answer; gives it and the tries."""
        tries = 0
        while True:
            tries += 1
            self._pending, self._answer = {**asked, "id": f"{asked['key']}.{tries}"}, None
            try:
                answer = await self._send_once(self._pending)
            except CONNECTION_ERRORS:
                await asyncio.sleep(RETRY_DELAY_S)  # a socket that is just closing refuses at once
                continue
            finally:
                self._pending = None
            problem = answer.get("problem")
            if problem is None or not (
                problem["code"] in RETRYABLE_CODES or (problem["code"] == "conflict" and tries > 1)
            ):
                return answer, tries
            await asyncio.sleep(self._chance.uniform(0.1, 0.5))

    async def _send_once(self, message: dict[str, Any]) -> dict[str, Any]:
        """Send a message over the present connection, or the next; raises what is lost with it."""
        async with self.changed:
            await self.changed.wait_for(lambda: self.socket is not None)
        socket = self.socket
        assert socket is not None
        await socket.send_str(msgspec.json.encode(message).decode())
        try:
            async with asyncio.timeout(RESPONSE_TIMEOUT_S), self.changed:
                await self.changed.wait_for(lambda: self._answer is not None or self.socket is not socket)
        except TimeoutError:
            await socket.close()
            raise
        if self._answer is None:
            raise ConnectionError
        return self._answer

    def _record_violation(self, detail: str) -> None:
        self.world.history.add(ContractViolation(client=self.client, detail=f"{self.copy.game}: {detail}"))

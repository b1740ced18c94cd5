"""A socket that checks every message it receives: the oracle of the socket fuzzer."""

import json
from collections.abc import Sequence
from itertools import count
from typing import Any

from schemas.problems import PROBLEM_TYPES
from tests.web.watcher_client import GameCopy, message_validator
from tools.openapi.asyncapi import CLOSE_CODES, REPLIES
from verification.fuzz.frames import TEXT, RawSocket, encode_frame
from verification.fuzz.harness import Counts

CLOSE_CODE_NUMBERS = frozenset(closed.code for closed in CLOSE_CODES)

RESPONSE_TYPES = ("ack", "error", "subscribed", "pong")

GAME = "game"


class CheckedSocket:
    """An open socket, and the state that its next messages must match."""

    def __init__(self, raw: RawSocket, counts: Counts) -> None:
        self.raw = raw
        self.games: dict[str, GameCopy] = {}
        """The games that it is subscribed to."""
        self.snapshot_of: str | None = None
        """The game whose snapshot must be the next message."""
        self._counts = counts
        self._numbers = count(1)
        welcome = raw.receive()
        assert welcome["type"] == "welcome", welcome
        message_validator("welcome").validate(welcome)
        self.max_message_bytes: int = welcome["max_message_bytes"]

    def subscribe(self, game: str, since: int | None = None) -> None:
        """Receive the response to the subscription that the path implies. Raise ConnectionEnded if it is rejected."""
        self._check_subscribed(self._receive(), {GAME: game, "since": since})
        if self.snapshot_of is not None:
            self._handle(self._receive())

    def exchange(self, messages: Sequence[Any], frames: Sequence[bytes]) -> list[dict[str, Any]]:
        """Send messages, and receive one response to each, in order. Raise ConnectionEnded.

        A message is a dictionary, or the text or bytes of an invalid one; `frames` has the frames of each.
        """
        self._counts["socket messages"] += len(messages)
        barrier = f"barrier-{next(self._numbers)}"
        ping = json.dumps({"type": "ping", "id": barrier}).encode()
        self.raw.send(b"".join(frames) + encode_frame(TEXT, ping))
        pending, responses = [*messages], []
        while (received := self._receive()) != {"type": "pong", "id": barrier}:
            if received["type"] in RESPONSE_TYPES or (received["type"] == "snapshot" and self.snapshot_of is None):
                assert pending, ("a response without a request", received)
                self._check_response(pending.pop(0), received)
                responses.append(received)
            else:
                self._handle(received)
        assert not pending, ("no response", pending)
        assert self.snapshot_of is None
        return responses

    def receive_pending(self) -> None:
        """Receive and check all messages so far."""
        self.exchange([], [])

    def _receive(self) -> dict[str, Any]:
        received = self.raw.receive()
        message_validator(received["type"]).validate(received)
        return received

    def _handle(self, message: dict[str, Any]) -> None:
        match message["type"]:
            case "diff":
                assert self.snapshot_of is None
                assert message[GAME] in self.games, message
                self.games[message[GAME]].apply(message)
            case "snapshot":
                assert message[GAME]["id"] == self.snapshot_of, message
                self.snapshot_of = None
                self._handle_snapshot(message)
            case _:
                raise AssertionError(message)

    def _handle_snapshot(self, message: dict[str, Any]) -> None:
        copy = self.games[message[GAME]["id"]] = GameCopy()
        copy.apply(message)

    def _check_response(self, request: Any, message: dict[str, Any]) -> None:
        """Check that a response has the type and the id that its request allows."""
        tag = request.get("type") if isinstance(request, dict) else None
        if message["type"] == "error":
            problem = message["problem"]
            assert PROBLEM_TYPES[problem["code"]].status == problem["status"] != 500, message
            if isinstance(request, dict) and problem["code"] != "malformed":
                assert message["id"] == request.get("id"), (request, message)
            return
        if isinstance(request, dict):
            assert isinstance(tag, str)
            assert message["type"] in REPLIES[tag], (request, message)
        if message["type"] != "snapshot" and isinstance(request, dict):
            assert message["id"] == request.get("id"), (request, message)
        match message["type"]:
            case "snapshot":
                assert tag == "sync"
                if message[GAME]["id"] in self.games:
                    assert message[GAME]["version"] >= self.games[message[GAME]["id"]].version
                    self._handle_snapshot(message)
            case "subscribed":
                self._check_subscribed(message, request)
            case "ack" if tag == "unsubscribe":
                self.games.pop(message[GAME], None)
            case "ack" if message["version"] is not None and message[GAME] in self.games:
                assert self.games[message[GAME]].version >= message["version"], "an ack before its diffs"

    def _check_subscribed(self, message: dict[str, Any], request: dict[str, Any]) -> None:
        assert message["type"] == "subscribed", message
        assert message[GAME] == request[GAME]
        if message["recovered"]:
            since = request["since"]
            assert since is not None
            assert since <= message["version"]
            self.games[message[GAME]] = GameCopy(int(since), request.get("digest"))
        else:
            self.snapshot_of = message[GAME]

"""What must be true of all that a socket says: the oracle of the socket's fuzzer."""

import json
from collections.abc import Sequence
from itertools import count
from typing import Any

import jsonpatch

from schemas.diffs import canonical_body, next_digest
from schemas.problems import PROBLEM_TYPES
from service.web.openapi.asyncapi import CLOSE_CODES, REPLIES
from tests.fuzz.figures import Figures
from tests.fuzz.frames import TEXT, RawSocket, encode_frame
from tests.web.watcher_client import message_validator

CLOSE_CODE_NUMBERS = frozenset(closed.code for closed in CLOSE_CODES)

RESPONSE_TYPES = ("ack", "error", "subscribed", "pong")

GAME = "game"


class ReplicaState:
    """A game as this client has it."""

    def __init__(self, version: int, digest: str | None, game: Any = None) -> None:
        self.version = version
        self.digest = digest
        self.game = game

    def apply(self, diff: dict[str, Any]) -> None:
        """Go on by a diff; raises AssertionError where it does not follow."""
        assert diff["version"] == self.version + 1, (self.version, diff)
        if self.digest is not None:
            assert diff["digest"] == next_digest(self.digest, canonical_body(diff)), diff
        self.version, self.digest = diff["version"], diff["digest"]
        if self.game is not None:
            self.game = jsonpatch.apply_patch(self.game, diff["patch"], in_place=False)
            assert self.game["version"] == self.version


class FuzzedSocket:
    """One open socket, and all that it may say next."""

    def __init__(self, raw: RawSocket, figures: Figures) -> None:
        self.raw = raw
        self.games: dict[str, ReplicaState] = {}
        """Those watched."""
        self.snapshot_of: str | None = None
        """The game of which a snapshot must come next."""
        self._figures = figures
        self._numbers = count(1)
        welcome = raw.receive()
        assert welcome["type"] == "welcome", welcome
        message_validator("welcome").validate(welcome)
        self.most: int = welcome["max_message_bytes"]

    def subscribe(self, game: str, since: int | None = None) -> None:
        """Hear what a subscription that the path implies is answered with; raises Ended where it is refused."""
        self._check_subscribed(self._receive(), {GAME: game, "since": since})
        if self.snapshot_of is not None:
            self._handle(self._receive())

    def exchange(self, messages: Sequence[Any], frames: Sequence[bytes]) -> list[dict[str, Any]]:
        """Send messages, each in its frames, and hear one answer to each, in order; raises Ended.

        A message is a dictionary, or the text of something that is none.
        """
        self._figures["socket messages"] += len(messages)
        barrier = f"barrier-{next(self._numbers)}"
        ping = json.dumps({"type": "ping", "id": barrier}).encode()
        self.raw.send(b"".join(frames) + encode_frame(TEXT, ping))
        waiting, answers = [*messages], []
        while (received := self._receive()) != {"type": "pong", "id": barrier}:
            if received["type"] in RESPONSE_TYPES or (received["type"] == "snapshot" and self.snapshot_of is None):
                assert waiting, ("nothing was asked", received)
                self._check_response(waiting.pop(0), received)
                answers.append(received)
            else:
                self._handle(received)
        assert not waiting, ("not answered", waiting)
        assert self.snapshot_of is None
        return answers

    def expect_silence(self) -> None:
        """Hear all that has been told so far."""
        self.exchange([], [])

    def _receive(self) -> dict[str, Any]:
        received = self.raw.receive()
        message_validator(received["type"]).validate(received)
        return received

    def _handle(self, told: dict[str, Any]) -> None:
        match told["type"]:
            case "diff":
                assert self.snapshot_of is None
                assert told[GAME] in self.games, told
                self.games[told[GAME]].apply(told)
            case "snapshot":
                assert told[GAME]["id"] == self.snapshot_of, told
                self.snapshot_of = None
                self._handle_snapshot(told)
            case _:
                raise AssertionError(told)

    def _handle_snapshot(self, told: dict[str, Any]) -> None:
        game = told[GAME]
        self.games[game["id"]] = ReplicaState(game["version"], told["digest"], game)

    def _check_response(self, asked: Any, told: dict[str, Any]) -> None:
        """One answer to what was asked; it is of a type and for an id that fit."""
        tag = asked.get("type") if isinstance(asked, dict) else None
        if told["type"] == "error":
            problem = told["problem"]
            assert PROBLEM_TYPES[problem["code"]].status == problem["status"] != 500, told
            if isinstance(asked, dict) and problem["code"] != "malformed":
                assert told["id"] == asked.get("id"), (asked, told)
            return
        if isinstance(asked, dict):
            assert isinstance(tag, str)
            assert told["type"] in REPLIES[tag], (asked, told)
        if told["type"] != "snapshot" and isinstance(asked, dict):
            assert told["id"] == asked.get("id"), (asked, told)
        match told["type"]:
            case "snapshot":
                assert tag == "sync"
                if told[GAME]["id"] in self.games:
                    assert told[GAME]["version"] >= self.games[told[GAME]["id"]].version
                    self._handle_snapshot(told)
            case "subscribed":
                self._check_subscribed(told, asked)
            case "ack" if tag == "unsubscribe":
                self.games.pop(told[GAME], None)
            case "ack" if told["version"] is not None and told[GAME] in self.games:
                assert self.games[told[GAME]].version >= told["version"], "an ack before its diffs"

    def _check_subscribed(self, told: dict[str, Any], asked: dict[str, Any]) -> None:
        assert told["type"] == "subscribed", told
        assert told[GAME] == asked[GAME]
        if told["recovered"]:
            since = asked["since"]
            assert since is not None
            assert since <= told["version"]
            self.games[told[GAME]] = ReplicaState(int(since), asked.get("digest"))
        else:
            self.snapshot_of = told[GAME]

"""A history in which everything went well, for tests to put something wrong into."""

from functools import cache
from itertools import pairwise
from typing import Any

import msgspec

from tests.chaos.history import Acknowledged, FinalState, GamePlayed, History, Invoked, Record
from tests.chaos.replica import Replica
from tests.games.game_logs import decode_log, play_game

__all__ = ["GAME", "LOG", "document_at", "initial_document", "recorded"]

GAME = "chaos"
LOG = decode_log(play_game(GAME))
"""A game that was played to its end."""


def recorded() -> list[Record]:
    """Return a history without violations."""
    return msgspec.json.decode(_recorded(), type=list[Record])


@cache
def _recorded() -> bytes:
    """One who plays the whole table, one who watches, and the truth."""
    history = History()
    history.add(GamePlayed(game=GAME, kind="test", at=0.5))
    watcher = Replica(history, "watcher", GAME)
    watcher.handle({"type": "snapshot", "game": document_at(1), "digest": LOG[0]["digest"]})
    for before, diff in pairwise(LOG):
        if diff["move"] is not None:
            act(history, before, diff)
        watcher.handle(copy_of(diff))
    watcher.record()
    end = LOG[-1]
    tag = f"{end['version']}-{end['digest']}"
    history.add(FinalState(game=GAME, document=watcher.document, tag=tag, log=LOG, verified=""))
    return msgspec.json.encode(history.records)


def copy_of(diff: dict[str, Any]) -> dict[str, Any]:
    """Return a copy that the caller may change."""
    copied: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(diff))
    return copied


def document_at(version: int) -> dict[str, Any]:
    """GAME as of a version."""
    copy = Replica(History(), "nobody", GAME)
    copy.digest, copy.document = LOG[0]["digest"], initial_document()
    for diff in LOG[1:version]:
        copy.handle(copy_of(diff))
    return copy.document


def initial_document() -> dict[str, Any]:
    """GAME as of version 1."""
    return {operation["path"][1:]: operation["value"] for operation in copy_of(LOG[0])["patch"]}


def act(history: History, before: dict[str, Any], diff: dict[str, Any]) -> None:
    """Ask for what a diff says, and get it."""
    key = f"k{diff['version']}"
    if_match = f"{before['version']}-{before['digest']}"
    history.add(Invoked(client="owner", game=GAME, key=key, move=diff["move"], seat=diff["seat"], if_match=if_match))
    version, digest = diff["version"], diff["digest"]
    received = [(version, digest)]
    history.add(Acknowledged(client="owner", key=key, version=version, digest=digest, diffs=received))

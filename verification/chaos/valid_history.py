"""A history without violations, into which tests plant one."""

from copy import deepcopy
from functools import cache
from itertools import pairwise
from typing import Any

import msgspec

from tests.games.game_logs import decode_log, play_game
from verification.chaos.history import Acknowledged, FinalState, GameCreated, History, Invoked, Record
from verification.chaos.replica import Replica

GAME = "chaos"
LOG = decode_log(play_game(GAME))
"""The log of a game that was played to its end."""


def valid_history() -> list[Record]:
    """Return a new copy of a history without violations."""
    return msgspec.json.decode(_encoded_history(), type=list[Record])


@cache
def _encoded_history() -> bytes:
    """Return the history of one player of all seats and one subscriber, with the final state."""
    history = History()
    history.add(GameCreated(game=GAME, scenario="test", at=0.5))
    replica = Replica(history, "subscriber", GAME)
    replica.handle({"type": "snapshot", "game": document_at(1), "digest": LOG[0]["digest"]})
    for before, diff in pairwise(LOG):
        if diff["move"] is not None:
            _add_operation(history, before, diff)
        replica.handle(deepcopy(diff))
    replica.record_final()
    end = LOG[-1]
    tag = f"{end['version']}-{end['digest']}"
    history.add(FinalState(game=GAME, document=replica.document, tag=tag, log=LOG, verify_errors=""))
    return msgspec.json.encode(history.records)


def document_at(version: int) -> dict[str, Any]:
    """Return the game as of a version."""
    replica = Replica(History(), "unused", GAME)
    replica.digest, replica.document = LOG[0]["digest"], initial_document()
    for diff in LOG[1:version]:
        replica.handle(deepcopy(diff))
    return replica.document


def initial_document() -> dict[str, Any]:
    """Return the game as of version 1."""
    return {operation["path"][1:]: operation["value"] for operation in deepcopy(LOG[0])["patch"]}


def _add_operation(history: History, before: dict[str, Any], diff: dict[str, Any]) -> None:
    """Add the invocation and the acknowledgement of the action that a diff contains."""
    key = f"k{diff['version']}"
    if_match = f"{before['version']}-{before['digest']}"
    history.add(Invoked(client="owner", game=GAME, key=key, move=diff["move"], seat=diff["seat"], if_match=if_match))
    version, digest = diff["version"], diff["digest"]
    history.add(Acknowledged(client="owner", key=key, version=version, digest=digest, diffs=[(version, digest)]))

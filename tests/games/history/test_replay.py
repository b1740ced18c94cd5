"""Logs with time-outs, replacements, undo and resigning prove their games, and forged ones do not."""

from collections.abc import Sequence
from typing import Any

import pytest

from schemas.vocabulary import RequestedTimeoutPolicy
from service.engine import is_finished, mark_aborted
from service.games.diffs import record_change
from service.games.history import Check, verify
from tests.games.game_fixture import event_types
from tests.games.game_logs import LAGOON, decode_log, failed_check, play_game, rechain
from tests.games.random_game import TABLES, RandomGame

TILESET = LAGOON.tileset


def proven(log: list[dict[str, Any]]) -> bool:
    return all(check.passed for check in verify(log, TILESET))


def play_steps(
    *steps: str, players: int = 3, timeout_s: int = 60, policy: RequestedTimeoutPolicy = "pass"
) -> list[dict[str, Any]]:
    """Return the log of a game with these steps that was then aborted, so that its seed is known."""
    played = RandomGame("tides", players, timeout_s, policy)
    for step in steps:
        if not is_finished(played.game):
            getattr(played, step)()
    if not is_finished(played.game):
        played.append(record_change(TABLES, played.game, mark_aborted(played.game), played.advance_clock()))
    return decode_log(played.log)


@pytest.mark.parametrize("policy", ("pass", "bot", "resign"))
@pytest.mark.parametrize(
    "steps",
    (
        ("time_out", "time_out", "time_out"),
        ("act", "undo", "act", "undo", "time_out"),
        ("time_out", "return_to_seat", "time_out", "act", "return_to_seat"),
        ("act", "resign", "act", "act", "resign"),
    ),
)
def test_valid_logs_are_verified(steps: tuple[str, ...], policy: RequestedTimeoutPolicy) -> None:
    assert proven(play_steps(*steps, policy=policy))


def test_a_rematch_is_verified() -> None:
    log = decode_log(play_game("again"))
    last = log[-1]
    link = {
        **last,
        "version": last["version"] + 1,
        "seat": None,
        "move": None,
        "by": None,
        "events": [{"type": "rematch_created", "game": "another"}],
        "patch": [
            {"op": "add", "path": "/version", "value": last["version"] + 1},
            {"op": "add", "path": "/next_game", "value": "another"},
        ],
    }
    assert proven(rechain([*log, link]))
    link["patch"][1]["value"] = "elsewhere"
    assert failed_check(rechain([*log, link])).name == "rules"


def forged(log: list[dict[str, Any]], version: int, **members: Any) -> Check:
    """Change members of one diff, and return the check that fails."""
    log[version - 1].update(members)
    return failed_check(rechain(log))


def test_a_time_out_before_the_deadline_is_invalid() -> None:
    log = play_steps("act", "time_out")
    at = log[1]["at"]
    for diff in log[2:]:
        diff["at"] = at
        for operation in diff["patch"]:
            if operation["path"] == "/updated_at":
                operation["value"] = at
    check = failed_check(rechain(log))
    assert (check.name, check.detail) == ("rules", "version 3: no deadline had passed")


@pytest.mark.parametrize(
    ("steps", "policy", "version", "changes", "reason"),
    (
        (("act", "act"), "pass", 2, {"by": "clock"}, "no deadline had passed"),
        (("act", "act"), "pass", 3, {"by": "clock"}, "the clock did not make the minimal decision"),
        (("time_out", "act"), "bot", 3, {"by": "seat"}, "a bot decided for seat 0"),
        (
            ("act",),
            "pass",
            2,
            {"move": "p99.99.0"},
            "p99.99.0 is illegal: (99, 99) shares no side with a placed tile (R3.2)",
        ),
    ),
)
def test_an_invalid_action_is_detected(
    steps: Sequence[str], policy: RequestedTimeoutPolicy, version: int, changes: dict[str, str], reason: str
) -> None:
    assert forged(play_steps(*steps, policy=policy), version, **changes).detail == f"version {version}: {reason}"


def test_a_time_out_with_another_policy_is_invalid() -> None:
    log = play_steps("time_out", policy="bot")
    log[1]["events"][0]["policy"] = "pass"
    assert "rules give different events at $[0].policy" in failed_check(rechain(log)).detail
    log = play_steps("time_out", policy="bot")
    log[1]["events"][1:] = [{"type": "player_resigned", "seat": log[1]["seat"]}]
    assert "the policy is bot" in failed_check(rechain(log)).detail


@pytest.mark.parametrize("at", ("2026-99-99T00:00:00Z", "9999-12-31T23:59:59Z"))
def test_an_impossible_timestamp_is_invalid(at: str) -> None:
    log = play_steps("act", "act", "act", "act")
    turns = [number for number, diff in enumerate(log) if "turn_started" in event_types(diff)]
    log[turns[1]]["at"] = at
    assert f"{at} is not a timestamp" in failed_check(rechain(log)).detail


def test_an_unknown_policy_is_invalid() -> None:
    log = play_steps("act")
    for operation in log[0]["patch"]:
        if operation["path"] == "/on_timeout":
            operation["value"] = "sulk"
    assert failed_check(rechain(log)).detail == "version 1: unknown time-out policy sulk"


def test_only_the_last_move_can_be_undone() -> None:
    log = play_steps("act", "undo")
    log[2]["events"][0]["move"] = "p9.9.0"
    assert failed_check(rechain(log)).detail == "version 3: these events were impossible"


@pytest.mark.parametrize(
    "event",
    (
        {"type": "move_undone", "seat": 0, "move": "p0.0.0"},
        {"type": "player_returned", "seat": 0},
        {"type": "player_resigned", "seat": 7},
        {"type": "rematch_created", "game": "another"},
        {"type": "turn_timed_out", "seat": 0, "policy": "pass"},
        {"type": "player_left", "seat": 0, "name": "Ana"},
        {"type": "player_joined", "seat": 9, "name": "Zoë", "color": "red"},
    ),
    ids=lambda event: event["type"],
)
def test_an_impossible_event_is_invalid(event: dict[str, Any]) -> None:
    check = forged(play_steps("act"), 3, seat=event.get("seat"), events=[event])
    assert (check.name, check.detail) == ("rules", "version 3: these events were impossible")

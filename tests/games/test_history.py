"""A whole log proves its game; a log with anything changed does not, also where the forger mends the digests."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from schemas.vocabulary import RequestedTimeoutPolicy
from service.engine import is_finished, mark_aborted
from service.games.diffs import record_change
from service.games.history import Check, Observed, verify
from tests.games.game_fixture import event_types
from tests.games.game_logs import LAGOON, decode_log, failed_check, play_game, rechain
from tests.games.random_game import TABLES, RandomGame

TILESET = LAGOON.tileset


def proven(log: list[dict[str, Any]]) -> bool:
    return all(check.passed for check in verify(log, TILESET))


def play_steps(
    *steps: str, players: int = 3, policy: RequestedTimeoutPolicy = "pass", open_seats: int = 0
) -> list[dict[str, Any]]:
    """Return the log of a game with these steps that was then aborted, so that its seed is known."""
    played = RandomGame("tides", players, 60, policy, open_seats)
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
    next(one for one in log[0]["patch"] if one["path"] == "/previous_game")["value"] = "earlier"
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
    again = {**link, "version": last["version"] + 2, "patch": [{**link["patch"][0], "value": last["version"] + 2}]}
    assert "these events were impossible" in failed_check(rechain([*log, link, again])).detail
    link["patch"][1]["value"] = "elsewhere"
    assert failed_check(rechain([*log, link])).name == "rules"


def forged(log: list[dict[str, Any]], version: int, **members: Any) -> Check:
    """Change members of one diff, and return the check that fails."""
    log[version - 1].update(members)
    return failed_check(rechain(log))


def test_a_time_out_in_the_second_of_the_deadline_is_invalid() -> None:
    log = play_steps("act", "time_out")
    (at,) = [operation["value"]["deadline"] for operation in log[1]["patch"] if operation["path"] == "/turn"]
    for diff in log[2:]:
        diff["at"] = at
        for operation in diff["patch"]:
            if operation["path"] == "/updated_at":
                operation["value"] = at
    assert failed_check(rechain(log)).detail == "version 3: no deadline had passed"


TIMED_OUT = {"type": "turn_timed_out", "seat": 0, "policy": "bot"}
FALSE = {**TIMED_OUT, "policy": "pass"}
REPLACED = {"type": "player_replaced", "seat": 0, "bot": "greedy"}
RESIGNED = {"type": "player_resigned", "seat": 0}


@pytest.mark.parametrize(
    ("steps", "policy", "version", "changes", "reason"),
    (
        (("act", "act"), "pass", 2, {"by": "clock"}, "no deadline had passed"),
        (("act", "act"), "pass", 2, {"seat": 1}, "seat 1 could not play p0.1.2"),
        (("act", "act"), "pass", 2, {"move": "hop"}, "seat 0 could not play hop"),
        (("act",), "bot", 3, {"seat": 0, "events": [TIMED_OUT, REPLACED]}, "no deadline had passed"),
        (("time_out",), "resign", 2, {"seat": 1}, "at seat 0's deadline the policy is resign"),
        (("time_out",), "bot", 2, {"events": [TIMED_OUT, RESIGNED]}, "at seat 0's deadline the policy is bot"),
        (("time_out",), "bot", 2, {"events": [FALSE, REPLACED]}, "the rules give different events at $[0].policy"),
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
def test_an_invalid_action_or_time_out_is_detected(
    steps: Sequence[str], policy: RequestedTimeoutPolicy, version: int, changes: dict[str, Any], reason: str
) -> None:
    assert forged(play_steps(*steps, policy=policy), version, **changes).detail == f"version {version}: {reason}"


@pytest.mark.parametrize("at", ("2026-99-99T00:00:00Z", "9999-12-31T23:59:59Z"))
def test_an_impossible_timestamp_is_invalid(at: str) -> None:
    log = play_steps("act", "act", "act", "act")
    turns = [number for number, diff in enumerate(log) if "turn_started" in event_types(diff)]
    log[turns[1]]["at"] = at
    assert f"{at} is not a timestamp" in failed_check(rechain(log)).detail


def test_an_unknown_policy_is_invalid() -> None:
    log = play_steps("act")
    next(one for one in log[0]["patch"] if one["path"] == "/on_timeout")["value"] = "sulk"
    assert failed_check(rechain(log)).detail == "version 1: unknown time-out policy sulk"


START = ("join", "join", "join")
STATES = {
    "waiting": ("join",),
    "started": START,
    "acted": (*START, "act"),
    "resigned": (*START, "resign"),
    "bot": (*START, "time_out"),
    "aborted": START,
}
EVENTS: dict[str, dict[str, Any]] = {
    **{f"joined {seat}": {"type": "player_joined", "seat": seat, "name": "Zoë", "color": "black"} for seat in range(5)},
    **{f"left {seat}": {"type": "player_left", "seat": seat, "name": "Ana"} for seat in range(4)},
    **{f"resigned {seat}": {"type": "player_resigned", "seat": seat} for seat in range(5)},
    "returned": {"type": "player_returned", "seat": 0},
    "undone": {"type": "move_undone", "seat": 0, "move": "p1.0.0"},
    "another undone": {"type": "move_undone", "seat": 0, "move": "p9.9.0"},
    "aborted": {"type": "game_aborted"},
    "rematch": {"type": "rematch_created", "game": "another"},
    "timed out": TIMED_OUT,
}
"""By seats 0 to 4 of a game of four, of which all but the first were open."""
RESIGNATIONS = {f"resigned {seat}" for seat in range(4)}
POSSIBLE: dict[str, set[str]] = {"waiting": {"joined 2", "left 1", "aborted"}, "aborted": {"rematch"}}
"""Whoever does it; in any other state only "aborted"."""
OF_PLAYERS: dict[str, set[str]] = {
    "started": RESIGNATIONS,
    "acted": {*RESIGNATIONS, "undone"},
    "resigned": RESIGNATIONS - {"resigned 1"},
    "bot": {*RESIGNATIONS, "returned"},
}


@pytest.mark.parametrize("state", STATES)
def test_what_is_impossible_in_a_state_is_detected(state: str) -> None:
    """Whatever a forger lets the end of the log say: the seed is known, and the digests match."""
    log = play_steps(*STATES[state], players=4, open_seats=3, policy="bot")
    if state == "aborted":
        version = len(log) + 1
        log.append({**log[-1], "version": version, "patch": [{**log[-1]["patch"][0], "value": version}]})

    def is_possible(event: dict[str, Any], by: str) -> bool:
        log[-1].update(by=by, seat=event.get("seat"), events=[event])
        return "these events were impossible" not in verify(rechain(log), TILESET)[-1].detail

    possible = {by: {name for name, event in EVENTS.items() if is_possible(event, by)} for by in ("clock", "seat")}
    by_anybody = POSSIBLE.get(state, {"aborted"})
    assert possible == {"clock": by_anybody, "seat": by_anybody | OF_PLAYERS.get(state, set())}
    move = forged(log, len(log), seat=0, move="p9.9.0").detail
    assert ("seat 0 could not play" in move) == (state in ("waiting", "aborted"))


@pytest.mark.parametrize(("players", "edition"), ((2, "international"), (3, "german"), (5, "international")))
def test_a_whole_log_is_verified(players: int, edition: Any) -> None:
    seed = f"proof-{players}"
    log = decode_log(play_game(seed, players, edition))
    (finished,) = [event for event in log[-1]["events"] if event["type"] == "game_finished"]
    (result,) = [operation["value"] for operation in log[-1]["patch"] if operation["path"] == "/result"]
    turns = [event["number"] for diff in log for event in diff["events"] if event["type"] == "turn_started"]
    moves = sum(diff["move"] is not None for diff in log)
    scores = ", ".join(f"seat {seat} {result['scores'][seat]['total']}" for seat in range(players))
    assert verify(log, TILESET) == [
        Check("digests", passed=True, detail=f"{len(log)} digests, the last one {log[-1]['digest']}"),
        Check("patches", passed=True, detail=f"{len(log)} states, the last one finished"),
        Check("commitment", passed=True, detail=f"seed {seed} (chosen by somebody)"),
        Check("rules", passed=True, detail=f"{moves} moves in {turns[-1]} turns"),
        Check("result", passed=True, detail=f"{finished['reason']}; {scores}"),
    ]


def test_an_unfinished_log_passes_digests_and_patches_only() -> None:
    checks = verify(decode_log(play_game("open"))[:20], TILESET)
    assert [check.passed for check in checks] == [True, True, None, None, None]
    assert [check.detail for check in checks[1:]] == [
        "20 states, the last one active",
        *["the seed is revealed when the game ends"] * 3,
    ]


def test_a_changed_or_missing_diff_breaks_the_chain() -> None:
    log = decode_log(play_game("chain"))
    log[10]["events"] = []
    assert "version 11" in failed_check(log).detail
    assert failed_check(log[:10] + log[11:]).name == "digests"
    assert "of game another" in forged(log, 11, game="another").detail


def test_a_patch_with_another_version_is_detected_during_the_game() -> None:
    log = decode_log(play_game("open"))[:20]
    log[10]["patch"][0]["value"] = 12
    assert failed_check(rechain(log)) == Check("patches", passed=False, detail="version 11: the patch says version 12")


def test_another_seed_or_tile_set_contradicts_the_commitment() -> None:
    log = decode_log(play_game("seed"))
    other = verify(log, msgspec.structs.replace(TILESET, id="other"))[-1]
    assert (other.name, "but other was given" in other.detail) == ("commitment", True)
    next(one for one in log[-1]["patch"] if one["path"] == "/deck")["value"]["seed"] = "another"
    assert failed_check(rechain(log)).name == "commitment"


def declared_unchosen(log: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Mark the seed as not chosen, and compute matching digests."""
    for diff in log:
        for operation in diff["patch"]:
            if operation["path"] == "/deck":
                operation["value"]["seed_chosen"] = False
    return rechain(log)


@pytest.mark.parametrize("seed", ("tides", "a" * 63, "a" * 65, "A" * 64))
def test_a_chosen_seed_marked_as_random_is_detected(seed: str) -> None:
    """The service draws 64 hex digits."""
    log = decode_log(play_game(seed))
    assert all(check.passed for check in verify(log, TILESET))
    wrong = failed_check(declared_unchosen(log))
    assert (wrong.name, "64 hex digits" in wrong.detail) == ("commitment", True)


def test_a_chosen_seed_that_looks_random_is_detected_by_observations() -> None:
    """Nothing in the log itself can tell: it is as the service would have made it."""
    log = decode_log(play_game("0f" * 32))
    digest = log[9]["digest"]
    forged = declared_unchosen(log)
    assert all(check.passed for check in verify(forged, TILESET))
    checks = verify(forged, TILESET, Observed(digests=((None, digest),)))
    assert [(check.name, check.passed) for check in checks] == [("digests", True), ("seen", False)]


def test_a_forgery_with_another_seed_is_detected_by_the_commitment() -> None:
    real, forged = decode_log(play_game("real")), decode_log(play_game("forged"))
    (deck,) = [one["value"] for one in real[0]["patch"] if one["path"] == "/deck"]
    assert all(check.passed for check in verify(real, TILESET, Observed(deck["commitment"])))
    assert [check.name for check in verify(forged, TILESET, Observed(deck["commitment"])) if check.passed is False] == [
        "seen"
    ]


def test_observations_are_checked_during_the_game() -> None:
    log = decode_log(play_game("early"))[:20]
    observed = Observed(digests=((20, log[19]["digest"]), (None, log[3]["digest"])))
    checks = verify(log, TILESET, observed)
    assert [check.passed for check in checks] == [True, True, True, None, None, None]
    wrong = verify(log, TILESET, Observed(digests=((5, log[3]["digest"]),)))[-1]
    assert (wrong.name, wrong.detail[:10]) == ("seen", "version 5:")


def test_another_order_of_tiles_contradicts_the_shuffle() -> None:
    log = decode_log(play_game("order"))
    drawn = next(event for diff in log[5:8] for event in diff["events"] if event["type"] == "tile_drawn")
    drawn["tile"] = next(tile.id for tile in TILESET.tiles if tile.id != drawn["tile"])
    assert failed_check(rechain(log)).name == "rules"


def test_wares_that_nobody_earned_are_detected() -> None:
    log = decode_log(play_game("wares"))
    paths = [operation for diff in log for operation in diff["patch"] if operation["path"].endswith("/wares")]
    paths[0]["value"]["fish"] += 1
    assert failed_check(rechain(log)).name == "rules"


def test_a_tile_that_nobody_placed_is_detected() -> None:
    log = decode_log(play_game("extra-tile"))
    (placed,) = [one["value"] for one in log[2]["patch"] if one["path"].startswith("/board/")]
    log[2]["patch"].append({"op": "add", "path": "/board/50,50", "value": placed})
    assert "$.board.50,50" in failed_check(rechain(log)).detail


@pytest.mark.parametrize(
    "log",
    (
        [],
        [{}],
        [{"version": 1, "patch": []}],
        [{"version": 1, "patch": 5}],
        [{"version": 1, "patch": [5]}],
        [{"version": 1, "patch": [{"op": "add", "path": {"n": 1}, "value": 1}]}],
        [{"version": 1, "patch": [{"op": "add", "path": "/deck", "value": {"commitment": "x"}}]}],
    ),
)
def test_an_invalid_log_is_rejected_with_a_reason(log: list[dict[str, Any]]) -> None:
    assert verify(log, TILESET)[-1].passed is False

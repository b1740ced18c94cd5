"""A whole log proves its game; a log with anything changed does not, also where the forger mends the digests."""

from typing import Any

import pytest

from service.games.history import Check, Observed, verify
from tests.games.game_logs import LAGOON, decode_log, failed_check, new_game, play_game, rechain

TILESET = LAGOON.tileset


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


def test_a_waiting_game_is_no_error() -> None:
    assert [check.passed for check in verify(decode_log(new_game("waits")[1]), TILESET)][:2] == [True, True]


def test_a_changed_diff_breaks_the_chain() -> None:
    log = decode_log(play_game("chain"))
    log[10]["events"] = []
    assert failed_check(log) == Check("digests", passed=False, detail=failed_check(log).detail)
    assert "version 11" in failed_check(log).detail


def test_a_missing_diff_is_detected() -> None:
    log = decode_log(play_game("gap"))
    del log[10]
    assert failed_check(log).name == "digests"


def test_another_seed_contradicts_the_commitment() -> None:
    log = decode_log(play_game("seed"))
    for operation in log[-1]["patch"]:
        if operation["path"] == "/deck":
            operation["value"]["seed"] = "another"
    assert failed_check(rechain(log)).name == "commitment"


def declared_unchosen(log: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Mark the seed as not chosen, and compute matching digests."""
    for diff in log:
        for operation in diff["patch"]:
            if operation["path"] == "/deck":
                operation["value"]["seed_chosen"] = False
    return rechain(log)


@pytest.mark.parametrize("seed", ("tides", "a" * 63, "A" * 64, "g" * 64))
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


def test_another_order_of_tiles_contradicts_the_shuffle() -> None:
    log = decode_log(play_game("order"))
    drawn = next(
        event for event in log[5]["events"] + log[6]["events"] + log[7]["events"] if event["type"] == "tile_drawn"
    )
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
    assert failed_check(rechain(log)) == Check("rules", passed=False, detail=failed_check(log).detail)
    assert "$.board.50,50" in failed_check(log).detail


def test_a_move_of_the_wrong_seat_is_detected() -> None:
    log = decode_log(play_game("wrong-seat"))
    log[4]["seat"] = 1 - log[4]["seat"]
    assert failed_check(rechain(log)).name == "rules"


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

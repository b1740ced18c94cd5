"""What `south-seas verify` says that a log proves, and what not, by what a player saw."""

from typing import Any

import pytest

from service.cli.verify import make_verdict
from service.games.history import NOTHING_OBSERVED, Check, Observed


def log(*, seed_chosen: bool | None = False) -> list[dict[str, Any]]:
    """Return a log of two versions; None for one without a deck."""
    deck = [] if seed_chosen is None else [{"path": "/deck", "value": {"seed_chosen": seed_chosen}}]
    return [
        {"version": 1, "digest": "d1", "patch": [{"path": "/seats", "value": []}, *deck]},
        {"version": 2, "digest": "d2", "patch": []},
    ]


PLAYED = ("The game followed the rules", "The order of tiles and ships was fixed when the player saw it")
PLAYED_UNLESS_FORGED = (PLAYED[0], "The order of tiles and ships was fixed before the first move, unless the whole")
FORGEABLE = "That this is the game that was played: whoever stores the log"
KNOWN_TO_CREATOR, KNOWN_TO_SERVICE = (
    f"That nobody knew the order: the {who}" for who in ("creator of the game chose", "service generated")
)
UNKNOWN_SEED, ONLY_STATED = "The order and the rules: the seed is secret", "Who sat where, the times"


@pytest.mark.parametrize(
    ("seed_chosen", "passed", "observed", "proved", "not_proved"),
    (
        (True, False, Observed("c", ()), (), ("Anything: this log contradicts itself",)),
        (
            *(True, True, NOTHING_OBSERVED),
            ("No version was changed", *PLAYED_UNLESS_FORGED),
            (FORGEABLE, KNOWN_TO_CREATOR, ONLY_STATED),
        ),
        (False, None, NOTHING_OBSERVED, ("No version was changed",), (FORGEABLE, UNKNOWN_SEED, ONLY_STATED)),
        (
            *(None, True, Observed("c", ())),
            ("The commitment of this log is the one", *PLAYED),
            ("That these moves were played: give a digest", KNOWN_TO_SERVICE, ONLY_STATED),
        ),
        (
            *(False, True, Observed(None, ((None, "d1"),))),
            ("Up to version 1 this is the log", *PLAYED),
            ("The moves after version 1: give a later digest", KNOWN_TO_SERVICE, ONLY_STATED),
        ),
        (
            *(False, None, Observed(None, ((1, "d1"), (None, "d2")))),
            ("Up to version 2 this is the log",),
            (UNKNOWN_SEED, ONLY_STATED),
        ),
    ),
)
def test_a_log_proves_what_its_checks_and_the_player_confirm(
    seed_chosen: bool | None,
    passed: bool | None,
    observed: Observed,
    proved: tuple[str, ...],
    not_proved: tuple[str, ...],
) -> None:
    checks = [Check("digests", passed=True, detail=""), Check("rules", passed=passed, detail="")]
    verdict = make_verdict(log(seed_chosen=seed_chosen), checks, observed)
    for claims, begins in ((verdict.proved, proved), (verdict.not_proved, not_proved)):
        assert len(claims) == len(begins)
        for claim, begin in zip(claims, begins, strict=True):
            assert claim.startswith(begin)

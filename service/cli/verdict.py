"""Sentences on what a verified log proves, against whom, and what it does not prove."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from service.games.history.verify import NOTHING_OBSERVED, Check, Observed

__all__ = ["Verdict", "make_verdict"]


KNOWN_TO_CREATOR = "That nobody knew the order: the creator of the game chose the seed."
KNOWN_TO_SERVICE = (
    "That nobody knew the order: the service generated the seed and knew it from the beginning. Its operator could "
    "have chosen a seed that looks random."
)


class Verdict(NamedTuple):
    """The claims that a log proves and those that it does not, as sentences."""

    proved: Sequence[str]
    not_proved: Sequence[str]


def make_verdict(log: Sequence[Mapping[str, Any]], checks: Sequence[Check], observed: Observed) -> Verdict:
    """Return the verdict on a log after its checks; nothing is proved if one of them failed."""
    if any(check.passed is False for check in checks):
        return Verdict((), ("Anything: this log contradicts itself, the rules, or what a player saw.",))
    is_complete, digests = all(check.passed for check in checks), {digest for _, digest in observed.digests}
    pinned = max((diff["version"] for diff in log if diff["digest"] in digests), default=0)
    proved, not_proved = _judge_log(len(log), pinned, observed)
    if not is_complete:
        not_proved.append("The order and the rules: the seed is secret until the game ends.")
    else:
        fixed = (
            "before the first move, unless the whole log is forged"
            if observed == NOTHING_OBSERVED
            else "when the player saw it"
        )
        proved += [
            "The game followed the rules: moves were legal; draws, events and scores follow from moves and seed.",
            f"The order of tiles and ships was fixed {fixed}: no other seed fits the commitment.",
        ]
        not_proved.append(KNOWN_TO_CREATOR if _is_seed_chosen(log) else KNOWN_TO_SERVICE)
    not_proved.append(
        "Who sat where, the times, that bots decided for themselves, and who requested the first seat: the log only "
        "states them."
    )
    return Verdict(proved, not_proved)


def _judge_log(last: int, pinned: int, observed: Observed) -> tuple[list[str], list[str]]:
    """Return what is proved and not proved about this being the log of the game that was played.

    `pinned` is the last version whose digest was observed, 0 for none.
    """
    if observed == NOTHING_OBSERVED:
        chained = (
            "No version was changed, added or removed, unless all later digests were forged too: they are a chain."
        )
        forgeable = (
            "That this is the game that was played: whoever stores the log, the service included, can forge one with "
            "another seed and consistent digests. Give what a player wrote down: --commitment, --digest."
        )
        return [chained], [forgeable]
    if not pinned:
        same_commitment = "The commitment of this log is the one that the player saw."
        return [same_commitment], ["That these moves were played: give a digest that a player saw, with --digest."]
    unchanged = (
        f"Up to version {pinned} this is the log that the player saw: nobody changed it since, not even the service."
    )
    later = f"The moves after version {pinned}: give a later digest that a player saw, with --digest."
    return [unchanged], [later] if pinned < last else []


def _is_seed_chosen(log: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the creator of the game chose the seed, as the first patch says."""
    decks = [operation["value"] for operation in log[0]["patch"] if operation["path"] == "/deck"]
    return bool(decks and decks[0]["seed_chosen"])

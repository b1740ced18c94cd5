"""What a verified log proves, against whom, and what it does not: sentences for people."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from service.games.verify import NOTHING_OBSERVED, Check, Observed

__all__ = ["Verdict", "make_verdict"]


KNOWN_TO_CREATOR = "That nobody knew the order: whoever created the game chose the seed."
KNOWN_TO_SERVICE = (
    "That nobody knew the order: the service drew the seed and knew it from the beginning; whoever runs the service "
    "could have chosen one that looks drawn."
)


class Verdict(NamedTuple):
    """Sentences, each a claim."""

    proved: Sequence[str]
    not_proved: Sequence[str]


def make_verdict(log: Sequence[Mapping[str, Any]], checks: Sequence[Check], seen: Observed) -> Verdict:
    """What the checks of a log come to; nothing where one of them failed."""
    if any(check.passed is False for check in checks):
        return Verdict((), ("Anything: this log contradicts itself, the rules, or what was seen.",))
    over, digests = all(check.passed for check in checks), {digest for _, digest in seen.digests}
    pinned = max((one["version"] for one in log if one["digest"] in digests), default=0)
    proved, not_proved = _judge_log(len(log), pinned, seen)
    if not over:
        not_proved.append("Anything of the order and of the rules: the seed is told when the game is over.")
    else:
        fixed = (
            "before the first move, if the log was not made anew" if seen == NOTHING_OBSERVED else "when that was seen"
        )
        proved += [
            "By the rules the game went so: moves were legal, each draw, event and score follows from moves and seed.",
            f"The order of tiles and ships was fixed {fixed}: no other seed fits the commitment.",
        ]
        not_proved.append(KNOWN_TO_CREATOR if _is_seed_chosen(log) else KNOWN_TO_SERVICE)
    not_proved.append(
        "Who sat where, that the times are true, that bots chose by themselves, and who asked for the first seat: for "
        "these the log has the service's word alone."
    )
    return Verdict(proved, not_proved)


def _judge_log(last: int, pinned: int, seen: Observed) -> tuple[list[str], list[str]]:
    """Whether this is the log of the game that was played, up to the version that is pinned."""
    if seen == NOTHING_OBSERVED:
        chained = (
            "No version was changed, added or left out, unless all later digests were made anew: they are a chain."
        )
        anew = (
            "That this is the game that was played: whoever keeps the log, the service included, can make another one "
            "with another seed and digests that fit. Give what a player wrote down: --commitment, --digest."
        )
        return [chained], [anew]
    if not pinned:
        promised = "The commitment of this log is the one that was seen."
        return [promised], ["That these moves were played: give a digest that a player saw, with --digest."]
    same = f"Up to version {pinned} this is the log that was seen: nobody has changed it since, the service included."
    later = (
        f"That what came after version {pinned} was played so: give a later digest that a player saw, with --digest."
    )
    return [same], [later] if pinned < last else []


def _is_seed_chosen(log: Sequence[Mapping[str, Any]]) -> bool:
    """As the first patch says, which the checks found to be in order."""
    decks = [one["value"] for one in log[0]["patch"] if one["path"] == "/deck"]
    return bool(decks and decks[0]["seed_chosen"])

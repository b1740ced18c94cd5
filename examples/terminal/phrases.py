"""Small pieces of English: wares, ships, costs, places, lists."""

from collections.abc import Sequence

from schemas.tileset import Bridge, Cost, Island, Market, Sea, Segment
from schemas.vocabulary import SegmentKind, Wares

WARE_NAMES = (("bananas", "banana", "bananas"), ("shells", "shell", "shells"), ("fish", "fish", "fish"))

ROLES: dict[SegmentKind, str] = {
    "bridge": "shell collector",
    "island": "banana picker",
    "sea": "fisherman",
    "market": "merchant",
}
"""What an islander is called, by the kind of the segment it stands on (R0)."""


def kind_of(segment: Segment) -> SegmentKind:
    """The kind of a segment."""
    match segment:
        case Bridge():
            return "bridge"
        case Island():
            return "island"
        case Sea():
            return "sea"
        case Market():
            return "market"


def wares_in_words(wares: Wares) -> str:
    """A number of wares.

    >>> wares_in_words(Wares(bananas=1, shells=0, fish=3))
    '1 banana and 3 fish'
    """
    return listed([counted(getattr(wares, ware), one, many) for ware, one, many in WARE_NAMES if getattr(wares, ware)])


def counted(number: int, one: str, many: str) -> str:
    """A number with its noun."""
    return f"{number} {one if number == 1 else many}"


def listed(parts: Sequence[str]) -> str:
    """Things in a row, as one says them.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    if not parts:
        return "nothing"
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def cost_in_words(cost: Cost) -> str:
    """What a ship asks for (R6.3).

    >>> cost_in_words(Cost(bananas=1, shells=2, fish=0, any=1, same=(3, 1)))
    '1 banana + 2 shells + 1 of any + 3 alike + 1 of another kind'
    """
    named = [counted(getattr(cost, ware), one, many) for ware, one, many in WARE_NAMES if getattr(cost, ware)]
    anything = [f"{cost.any} of any"] if cost.any else []
    kinds = ("alike", "of another kind", "of the third kind")
    same = [f"{number} {kind}" for number, kind in zip(cost.same, kinds, strict=False)]
    return " + ".join([*named, *anything, *same]) or "nothing"


def at(x: int, y: int) -> str:
    """A cell."""
    return f"({x}, {y})"


def owned(name: str) -> str:
    """Somebody's."""
    return f"{name}'" if name.endswith("s") else f"{name}'s"

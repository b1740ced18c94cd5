"""English phrases for wares, costs, cells and lists."""

from collections.abc import Sequence

from south_seas.models import Bridge, Cost, Island, Market, Sea, Segment, Wares

WARE_NAMES = (("bananas", "banana", "bananas"), ("shells", "shell", "shells"), ("fish", "fish", "fish"))

ROLES = {
    "bridge": "shell collector",
    "island": "banana picker",
    "sea": "fisherman",
    "market": "merchant",
}
"""The roles of islanders by the kind of their segment (R0)."""


def kind_of(segment: Segment) -> str:
    """Return the kind of a segment."""
    match segment:
        case Bridge():
            return "bridge"
        case Island():
            return "island"
        case Sea():
            return "sea"
        case Market():
            return "market"


def wares_text(wares: Wares) -> str:
    """Return wares as text.

    >>> wares_text(Wares(bananas=1, shells=0, fish=3))
    '1 banana and 3 fish'
    """
    return join_list(
        [count_of(getattr(wares, ware), one, many) for ware, one, many in WARE_NAMES if getattr(wares, ware)]
    )


def count_of(number: int, one: str, many: str) -> str:
    """Return a number with its noun."""
    return f"{number} {one if number == 1 else many}"


def join_list(parts: Sequence[str]) -> str:
    """Return a list as text.

    >>> join_list(["a", "b", "c"])
    'a, b and c'
    """
    if not parts:
        return "nothing"
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def cost_text(cost: Cost) -> str:
    """Return the cost of a ship as text (R6.3).

    >>> cost_text(Cost(bananas=1, shells=2, fish=0, any=1, same=[3, 1]))
    '1 banana + 2 shells + 1 of any + 3 alike + 1 of another kind'
    """
    named = [count_of(getattr(cost, ware), one, many) for ware, one, many in WARE_NAMES if getattr(cost, ware)]
    anything = [f"{cost.any} of any"] if cost.any else []
    kinds = ("alike", "of another kind", "of a third kind")
    same = [f"{number} {kind}" for number, kind in zip(cost.same, kinds, strict=False)]
    return " + ".join([*named, *anything, *same]) or "nothing"


def cell_text(x: int, y: int) -> str:
    """Return a cell as text."""
    return f"({x}, {y})"


def possessive(name: str) -> str:
    """Return the possessive form of a name."""
    return f"{name}'" if name.endswith("s") else f"{name}'s"

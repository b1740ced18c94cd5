"""Every way to pay for a ship (R6.2, R6.3)."""

from __future__ import annotations

from itertools import permutations, product

from tests.reference.pieces import WARES, Ship

Payment = tuple[int, int, int]
"""Bananas, shells, fish."""


def payments(ship: Ship, purse: dict[str, int]) -> list[Payment]:
    """List the distinct exact payments that the purse can make, by trying every amount of every ware."""
    amounts = (range(purse[ware] + 1) for ware in WARES)
    return [
        (bananas, shells, fish)
        for bananas, shells, fish in product(*amounts)
        if pays(ship, {"bananas": bananas, "shells": shells, "fish": fish})
    ]


def pays(ship: Ship, paid: dict[str, int]) -> bool:
    """Say whether these wares are the cost, no more and no less, under some meaning of what is for what."""
    left = {ware: paid[ware] - ship.named[ware] for ware in WARES}
    return any(_rest_is_choice(ship, left, kinds) for kinds in permutations(WARES, len(ship.same)))


def _rest_is_choice(ship: Ship, left: dict[str, int], kinds: tuple[str, ...]) -> bool:
    """Say whether groups of these kinds, all different, leave just as many wares as may be of any kind."""
    rest = dict(left)
    for kind, size in zip(kinds, ship.same, strict=True):
        rest[kind] -= size
    return all(count >= 0 for count in rest.values()) and sum(rest.values()) == ship.choice

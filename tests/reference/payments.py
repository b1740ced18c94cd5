"""The legal payments for a ship (R6.2, R6.3)."""

from __future__ import annotations

from itertools import permutations, product

from tests.reference.pieces import WARES, Ship

Payment = tuple[int, int, int]
"""Bananas, shells, fish."""


def payments(ship: Ship, purse: dict[str, int]) -> list[Payment]:
    """List the distinct exact payments from the purse, by trying every amount of every ware."""
    amounts = (range(purse[ware] + 1) for ware in WARES)
    return [
        (bananas, shells, fish)
        for bananas, shells, fish in product(*amounts)
        if pays(ship, {"bananas": bananas, "shells": shells, "fish": fish})
    ]


def pays(ship: Ship, paid: dict[str, int]) -> bool:
    """Return whether these wares are the exact cost, for some assignment of kinds to the groups of identical wares."""
    unnamed = {ware: paid[ware] - ship.named[ware] for ware in WARES}
    return any(_pays_unnamed(ship, unnamed, kinds) for kinds in permutations(WARES, len(ship.same)))


def _pays_unnamed(ship: Ship, unnamed: dict[str, int], kinds: tuple[str, ...]) -> bool:
    """Return whether the wares without groups of these kinds are as many as may be of any kind."""
    remaining = dict(unnamed)
    for kind, size in zip(kinds, ship.same, strict=True):
        remaining[kind] -= size
    return all(count >= 0 for count in remaining.values()) and sum(remaining.values()) == ship.choice

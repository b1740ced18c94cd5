"""The majority on a feature and its award (R5.5), and the fish that a boat covers (R5.7)."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from tests.reference.board import Board, Feature, Spot
from tests.reference.pieces import WARE_OF, WARES


class Group(NamedTuple):
    """An uncovered fish group on the board."""

    spot: Spot
    group: int
    fish: int


def counts(board: Board, feature: Feature) -> dict[int, int]:
    """Return how many islanders each seat has there, by seat, only those that have any."""
    return dict(sorted(Counter(seat for _, seat in board.islanders_on(feature)).items()))


def winners(board: Board, feature: Feature) -> list[int]:
    """Return the seats with the most islanders there, all tied ones (R5.5)."""
    by_seat = counts(board, feature)
    return [seat for seat, count in by_seat.items() if count == max(by_seat.values())]


def uncovered(board: Board, feature: Feature) -> list[Group]:
    """List the fish groups of the feature that no boat token covers."""
    return [
        Group(spot, group, fish)
        for spot in feature.spots
        for group, fish in enumerate(board.segment(spot).groups)
        if (spot.segment, group) not in board.placed[spot.cell].covered
    ]


def wares(board: Board, feature: Feature) -> dict[str, int]:
    """Return what each winner gets: one ware per symbol, without covered fish (R5.5)."""
    gained = dict.fromkeys(WARES, 0)
    if feature.kind == "sea":
        gained["fish"] = sum(group.fish for group in uncovered(board, feature))
    else:
        gained[WARE_OF[feature.kind]] = sum(board.segment(spot).symbols for spot in feature.spots)
    return gained


def group_to_cover(board: Board, feature: Feature) -> Group | None:
    """Return a group of two if there is one, else a single: earliest tile, lowest segment, lowest group (R5.7)."""
    groups = uncovered(board, feature)
    if not groups:
        return None
    pairs = [group for group in groups if group.fish > 1]
    return min(pairs or groups, key=lambda one: (board.placed[one.spot.cell].order, one.spot.segment, one.group))

"""The evaluation after the islander step, up to the ships that markets bring (R5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.reference import awards
from tests.reference.pieces import WARES

if TYPE_CHECKING:
    from tests.reference.board import Feature, Spot
    from tests.reference.state import State


def evaluate_placed_tile(state: State) -> None:
    """Evaluate features that the placed tile completed or put a boat in (R5.5, R5.6), then return merchants (R5.10)."""
    board = state.board
    finished: list[Feature] = []
    for spot in board.spots_of(state.now.placed_cell):
        feature = board.feature(spot)
        if feature.kind == "market" or feature in finished:
            continue
        finished.append(feature)
        if not board.islanders_on(feature):
            continue
        boat = has_new_boat(state, feature)
        if board.is_complete(feature):
            evaluate(state, feature, cause="completed", cover=boat)
        elif boat and boat_acts(state, feature):
            evaluate(state, feature, cause="boat", cover=True)
    state.now.ships_owed = merchants_home(state)


def has_new_boat(state: State, feature: Feature) -> bool:
    """Return whether the boat of the tile just placed lies in this very region (R5.6)."""
    return any(spot.cell == state.now.placed_cell and state.board.segment(spot).boat for spot in feature.spots)


def boat_acts(state: State, region: Feature) -> bool:
    """Return whether a boat evaluates an occupied region: in the german edition not without uncovered fish (R5.6)."""
    return state.edition == "international" or bool(awards.uncovered(state.board, region))


def evaluate(state: State, feature: Feature, *, cause: str, cover: bool) -> None:
    """Give the wares to the majority, optionally cover fish, and return all islanders (R5.5, R5.7, R5.9)."""
    board = state.board
    winners = awards.winners(board, feature)
    gained = awards.wares(board, feature)
    for seat in winners:
        for ware in WARES:
            state.players[seat].wares[ware] += gained[ware]
    state.add_event(
        "feature_evaluated",
        {
            "kind": feature.kind,
            "cause": cause,
            "cells": [{"x": x, "y": y} for x, y in feature.cells],
            "islanders": [{"seat": seat, "count": count} for seat, count in awards.counts(board, feature).items()],
            "winners": winners,
            "wares": gained,
        },
    )
    if cover:
        cover_fish(state, feature)
    for spot, seat in board.islanders_on(feature):
        send_home(state, spot, seat)


def cover_fish(state: State, region: Feature) -> None:
    """Cover one fish group of the region, if any is left (R5.7, R5.8)."""
    chosen = awards.group_to_cover(state.board, region)
    if chosen is None:
        return
    spot, group, fish = chosen
    state.board.placed[spot.cell].covered.add((spot.segment, group))
    state.add_event("fish_covered", {**spot._asdict(), "group": group, "fish": fish})


def send_home(state: State, spot: Spot, seat: int) -> None:
    """Return an islander to its owner's supply (R5.9)."""
    return_to_supply(state, spot, seat)
    state.add_event("islander_returned", {"seat": seat, **spot._asdict()})


def return_to_supply(state: State, spot: Spot, seat: int) -> None:
    """Move an islander from the board to its owner's supply."""
    del state.board.placed[spot.cell].islanders[spot.segment]
    state.players[seat].supply += 1


def merchants_home(state: State) -> list[int]:
    """Return the merchants of completed markets, clockwise from the active player, and list their owners (R5.10)."""
    board = state.board
    merchants = [
        (spot, seat)
        for spot, seat in board.islanders()
        if board.segment(spot).kind == "market" and board.is_complete(board.feature(spot))
    ]
    active = state.now.seat

    def clockwise(one: tuple[Spot, int]) -> tuple[int, ...]:
        spot, seat = one
        return (seat - active) % len(state.players), spot.y, spot.x, spot.segment

    merchants.sort(key=clockwise)
    for spot, seat in merchants:
        send_home(state, spot, seat)
    return [seat for _, seat in merchants]

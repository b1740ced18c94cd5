"""The evaluation after the islander step, up to the ships that markets bring (R5), and the end of the game (R7)."""

from collections import Counter
from typing import NamedTuple

from tests.reference.board import WARE_OF, WARES, Board, Feature, Spot, State

WARES_PER_POINT = 3


class Group(NamedTuple):
    """An uncovered fish group on the board."""

    spot: Spot
    group: int
    fish: int


def counts(board: Board, feature: Feature) -> dict[int, int]:
    """Return how many islanders each seat has there, by seat, only those that have any."""
    return dict(sorted(Counter(seat for _, seat in board.islanders_on(feature)).items()))


def winning_seats(board: Board, feature: Feature) -> list[int]:
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


def wares_of(board: Board, feature: Feature) -> dict[str, int]:
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
    return state.edition == "international" or bool(uncovered(state.board, region))


def evaluate(state: State, feature: Feature, *, cause: str, cover: bool) -> None:
    """Give the wares to the majority, optionally cover fish, and return all islanders (R5.5, R5.7, R5.9)."""
    board = state.board
    winners = winning_seats(board, feature)
    gained = wares_of(board, feature)
    for seat in winners:
        for ware in WARES:
            state.players[seat].wares[ware] += gained[ware]
    state.add_event(
        "feature_evaluated",
        {
            "kind": feature.kind,
            "cause": cause,
            "cells": [{"x": x, "y": y} for x, y in feature.cells],
            "islanders": [{"seat": seat, "count": count} for seat, count in counts(board, feature).items()],
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
    chosen = group_to_cover(state.board, region)
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


def end_reason(state: State) -> str | None:
    """Return why the game ends after this turn, or None: the last ship goes before the last tile (R7.1)."""
    if not state.display and not state.pile:
        return "last_ship"
    if not state.bag:
        return "last_tile"
    return None


def finish(state: State, reason: str) -> None:
    """Evaluate the occupied features (R7.2), count points (R7.3), and determine the winners (R7.4)."""
    for feature in state.board.occupied():
        if feature.kind != "market":
            evaluate(state, feature, cause="final", cover=False)
    scores = []
    for seat, player in enumerate(state.players):
        ships = state.ship_points(seat)
        wares = ware_points(player.wares)
        scores.append({"seat": seat, "ships": ships, "wares": wares, "total": ships + wares})
    best = max(score["total"] for score in scores)
    winners = [score["seat"] for score in scores if score["total"] == best]
    state.result = {"winners": winners, "reason": reason, "scores": scores}
    state.turn = None
    state.add_event("game_finished", {"reason": reason, "winners": winners})


def ware_points(wares: dict[str, int]) -> int:
    """Return 1 point for every 3 wares of any kind (R7.3)."""
    return sum(wares.values()) // WARES_PER_POINT

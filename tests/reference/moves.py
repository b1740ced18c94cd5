"""The legal actions of each phase, in the API's format."""

from itertools import permutations, product

from tests.reference.board import WARES, Json, Ship, State

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


def legal_actions(state: State) -> list[Json]:
    """List the decider's legal actions; empty when the game is finished."""
    if state.turn is None:
        return []
    phases = {"place_tile": tile_placements, "islander": islander_moves, "take_ship": ships_to_take}
    return phases.get(state.turn.phase, deliveries)(state)


def tile_placements(state: State) -> list[Json]:
    """List the placements of the drawn tile (R3)."""
    tile = state.tiles[state.now.tile]
    return [
        {"type": "place_tile", "x": x, "y": y, "rotation": rotation}
        for (x, y), rotation in state.board.placements(tile)
    ]


def islander_moves(state: State) -> list[Json]:
    """List placements (R4.1 to R4.3), retrievals (R4.4) and the pass (R4.5)."""
    return [*islander_placements(state), *retrievals(state), {"type": "pass", "phase": "islander"}]


def islander_placements(state: State) -> list[Json]:
    """List the segments of the placed tile whose features are unoccupied, one move each (R4.1, R4.2)."""
    turn = state.now
    if state.players[turn.seat].supply == 0:
        return []
    return [
        {"type": "place_islander", "segment": spot.segment}
        for spot in state.board.spots_of(turn.placed_cell)
        if not state.board.islanders_on(state.board.feature(spot))
    ]


def retrievals(state: State) -> list[Json]:
    """List the player's islanders on the board, in the international edition only with an empty supply (R4.4)."""
    seat = state.now.seat
    if state.edition == "international" and state.players[seat].supply > 0:
        return []
    return [{"type": "retrieve_islander", **spot._asdict()} for spot, owner in state.board.islanders() if owner == seat]


def best_ships(state: State) -> list[str]:
    """List the ships of the display with the most points; empty if the display is (R5.10)."""
    highest = max((state.ships[ship].points for ship in state.display), default=0)
    return [ship for ship in state.display if state.ships[ship].points == highest]


def ships_to_take(state: State) -> list[Json]:
    """List the ships that the owner of a completed market may take (R5.10)."""
    return [{"type": "take_ship", "ship": ship} for ship in best_ships(state)]


def deliveries(state: State) -> list[Json]:
    """List every ship with every payment that the active player can make, and the pass (R6)."""
    purse = state.players[state.now.seat].wares
    result: list[Json] = [
        {"type": "deliver", "ship": ship, "wares": dict(zip(WARES, payment, strict=True))}
        for ship in state.display
        for payment in payments(state.ships[ship], purse)
    ]
    return [*result, {"type": "pass", "phase": "deliver"}]

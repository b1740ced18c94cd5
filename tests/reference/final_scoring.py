"""The end of the game (R7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.reference.evaluation import evaluate

if TYPE_CHECKING:
    from tests.reference.state import State

WARES_PER_POINT = 3


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

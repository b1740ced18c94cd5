"""The loop that plays a seat."""

import inspect
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from south_seas.errors import ConflictError, VersionMismatchError
from south_seas.events import StartState
from south_seas.models import GameView, LegalMoves, Move
from south_seas.subscription import Subscription

if TYPE_CHECKING:
    from south_seas.client import Client

__all__ = ["MoveChooser", "play_seat"]

MoveChooser = Callable[[list[Move], GameView], Move | Awaitable[Move]]
"""Selects one of the legal moves in a game."""


async def play_seat(client: "Client", game: str, seat: int, choose: MoveChooser, start: StartState | None) -> GameView:
    """Play a seat until the game is over; return the final GAME."""
    legal = None
    async with client.subscribe(game, start=start) as subscription:
        while not subscription.is_over:
            if _must_decide(subscription, seat):
                legal = await _play_move(client, subscription, choose, legal)
            await subscription.next_event()
        return subscription.view


def _must_decide(subscription: Subscription, seat: int) -> bool:
    """Return whether a seat must decide, as far as this client knows."""
    turn = subscription.view.turn
    return turn is not None and turn.decider == seat and not subscription.has_pending


async def _play_move(
    client: "Client", subscription: Subscription, choose: MoveChooser, legal: LegalMoves | None
) -> LegalMoves | None:
    """Play the chosen move, unless the game has changed; return the legal moves after it, if known."""
    if legal is None or legal.version != subscription.version:
        legal = await client.legal_moves(subscription.id)
    if legal.version != subscription.version or legal.seat is None:
        return legal
    chosen = choose(legal.moves, subscription.view)
    move = await chosen if inspect.isawaitable(chosen) else chosen
    if_match = f"{legal.version}-{legal.digest}"
    try:
        result = await client.act(subscription.id, move, seat=legal.seat, if_match=if_match, include_legal_moves=True)
    except (VersionMismatchError, ConflictError):  # another request came first: an undo, a timeout, the owner
        return None
    subscription.apply_diffs(result.diffs)
    return result.legal_moves

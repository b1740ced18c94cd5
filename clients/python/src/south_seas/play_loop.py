"""The loop that plays a seat."""

import inspect
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from south_seas.errors import ConflictError, SeatReplacedError, SeatResignedError, VersionMismatchError
from south_seas.events import StartState
from south_seas.models import GameView, LegalMoves, Move
from south_seas.subscription import Subscription

if TYPE_CHECKING:
    from south_seas.client import Client

__all__ = ["MoveChooser", "play_seat"]

MoveChooser = Callable[[list[Move], GameView], Move | Awaitable[Move]]
"""Selects one of the legal moves in a game."""


async def play_seat(
    client: "Client",
    game: str,
    seat: int,
    choose: MoveChooser,
    start: StartState | None,
    *,
    return_when_replaced: bool,
) -> GameView:
    """Play a seat until the game is over; return the final GAME. Raises SeatReplacedError and SeatResignedError."""
    if not isinstance(seat, int):
        raise TypeError(f"a seat is given by its number, from 0, not by {seat!r}")
    legal = None
    # A request of the loop repeats its idempotency key until the service responds, so that it has no second effect.
    patient = client.with_backoff(msgspec.structs.replace(client.backoff, max_attempts=None))
    async with client.subscribe(game, start=start) as subscription:
        if seat not in range(count := len(subscription.view.players)):
            raise ValueError(f"the game has no seat {seat}: its seats are 0 to {count - 1}")
        while not subscription.is_over:
            turn, player = subscription.view.turn, subscription.view.players[seat]
            if turn is not None and not subscription.has_pending:  # as far as this client knows
                if player.resigned:
                    raise SeatResignedError(seat)
                if player.kind == "human" and player.bot is not None:
                    if not return_when_replaced:
                        raise SeatReplacedError(seat, player.bot)
                    await _return_to_seat(patient, subscription, seat)
                elif turn.paused and turn.decider != seat:
                    await _return_to_seat(patient, subscription, seat)
                elif turn.decider == seat:
                    legal = await _play_move(patient, subscription, choose, legal)
            await subscription.next_event()
        return subscription.view


async def _return_to_seat(client: "Client", subscription: Subscription, seat: int) -> None:
    """Take the seat back, or resume a paused game, unless another request has, or the game is over."""
    with suppress(ConflictError):
        result = await client.return_to_seat(subscription.id, seat=seat)
        subscription.apply_diffs(result.diffs)


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

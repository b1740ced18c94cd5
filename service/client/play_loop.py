"""Playing a seat: whenever it must decide, somebody chooses."""

import inspect
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from schemas.acting import LegalMoves
from schemas.actions import Move
from schemas.game import GameView
from service.client.errors import Conflict, VersionMismatch
from service.client.events import Start
from service.client.subscription import Following

if TYPE_CHECKING:
    from service.client.client import Client

__all__ = ["Choose", "play"]

Choose = Callable[[list[Move], GameView], Move | Awaitable[Move]]
"""Chooses one of the legal moves in a game."""


async def play(client: "Client", game: str, seat: int, choose: Choose, start: Start | None) -> GameView:
    """Play a seat until the game is over; gives the GAME then."""
    legal = None
    async with client.follow(game, start=start) as following:
        while not following.is_over:
            if _decides(following, seat):
                legal = await _act(client, following, choose, legal)
            await following.change()
        return following.view


def _decides(following: Following, seat: int) -> bool:
    """Whether a seat must decide, as far as is known; what is on its way may say otherwise."""
    turn = following.view.turn
    return turn is not None and turn.decider == seat and not following.has_more


async def _act(client: "Client", following: Following, choose: Choose, legal: LegalMoves | None) -> LegalMoves | None:
    """Do what is chosen, unless the game went on; gives the moves after it, where they are known."""
    if legal is None or legal.version != following.version:
        legal = await client.legal_moves(following.id)
    if legal.version != following.version or legal.seat is None:
        return legal
    chosen = choose(legal.moves, following.view)
    move = await chosen if inspect.isawaitable(chosen) else chosen
    if_match = f"{legal.version}-{legal.digest}"
    try:
        acted = await client.act(following.id, move, seat=legal.seat, if_match=if_match, include_legal_moves=True)
    except (VersionMismatch, Conflict):  # somebody else was first: an undo, the clock, the owner
        return None
    following.take(acted.diffs)
    return acted.legal_moves

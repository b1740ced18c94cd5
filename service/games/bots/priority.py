"""Whether a person plays a game, and whose it is: so it is decided which games' bots have their turn first.

A person is there who has a seat, has neither left it to a bot nor resigned, and has not let the clock decide each time
of late. Watching does not count: anybody can watch any number of games at no cost.
"""

from hashlib import blake2b

from service.engine import Game
from service.games.bots.fair_queue import Requester
from service.games.lifecycle import is_abandoned

__all__ = ["bot_on_turn", "hash_creator", "is_attended", "requester_of", "upcoming_bots"]

CREATOR_HASH_BYTES = 3
"""So short that hundreds of addresses of IPv4 share each: it tells creators apart, and nobody's address."""


def is_attended(game: Game) -> bool:
    """Whether a person plays: in a game that waits for its bots, whether anybody waits with it."""
    people = sum(player.kind == "human" and player.bot is None and not player.resigned for player in game.players)
    return game.consecutive_timeouts < people


def bot_on_turn(game: Game) -> str | None:
    """The bot that must decide now, if it is a bot; none while the game rests."""
    bot = game.players[game.decider].bot if game.status == "active" else None
    return None if bot is None or is_abandoned(game) else bot


def upcoming_bots(game: Game) -> list[str]:
    """The bots that decide before a person does, each once."""
    ahead: list[str] = []
    if bot_on_turn(game) is None:
        return ahead
    for step in range(len(game.players)):
        player = game.players[(game.decider + step) % len(game.players)]
        if player.bot is not None:
            ahead.append(player.bot)
        elif not player.resigned:
            break
    return ahead


def requester_of(game: Game) -> Requester:
    """In whose name the game's bots ask for their turn."""
    return Requester(game.creator, is_attended(game))


def hash_creator(client: str) -> bytes:
    """What is stored of a client that creates a game, until it is over.

    >>> creator_of("192.0.2.1") == creator_of("192.0.2.1") != creator_of("192.0.2.2")
    True
    """
    return blake2b(client.encode(), digest_size=CREATOR_HASH_BYTES, person=b"creator").digest()

"""Priority of games in the bot queue: whether a person plays, and who created the game.

A game is attended while some person has a seat, has not left it to a bot, has not resigned, and has not timed out on
every recent decision. Watchers do not count: anybody can watch any number of games at no cost.
"""

from hashlib import blake2b

from service.engine import Game
from service.fair_queue import Requester
from service.games.lifecycle import bot_on_turn

CREATOR_HASH_BYTES = 3
"""Short enough that hundreds of IPv4 addresses share each hash, so that it identifies nobody."""


def is_attended(game: Game) -> bool:
    """Return whether a person plays in the game."""
    people = sum(player.kind == "human" and player.bot is None and not player.resigned for player in game.players)
    return game.consecutive_timeouts < people


def upcoming_bots(game: Game) -> list[str]:
    """Return the bots that decide before the next person does, one entry per seat."""
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
    """Return the requester for decisions of the game's bots."""
    return Requester(game.creator, is_attended(game))


def hash_creator(client: str) -> bytes:
    """Return the hash of a client's address that is stored with a game until it ends.

    >>> hash_creator("192.0.2.1") == hash_creator("192.0.2.1") != hash_creator("192.0.2.2")
    True
    """
    return blake2b(client.encode(), digest_size=CREATOR_HASH_BYTES, person=b"creator").digest()

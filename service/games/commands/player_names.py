"""Players' names, of which no two may be the same: a person's name is rejected, a bot's gets a number.

Source: api.md, "Ground rules".
"""

from collections.abc import Iterable, Sequence

from schemas.lobby import SeatRequest
from schemas.player_names import name_key, unique_name
from service.engine import Game
from service.games.errors import Conflict

__all__ = ["assign_names", "check_name_free"]


def check_name_free(game: Game, name: str) -> None:
    """Raise Conflict if a player of the game has this name."""
    _check_differs(name, (player.name for player in game.players if player.name is not None))


def assign_names(players: Sequence[SeatRequest]) -> list[str | None]:
    """Return the name of each seat, None for an open one. Raises Conflict for two persons of the same name.

    A bot without a name gets that of its kind. Any bot's name gets the first number that makes it unique.
    """
    taken: list[str] = []
    for player in players:
        if player.name is not None and player.bot is None:
            _check_differs(player.name, taken)
            taken.append(player.name)
    return [_seat_name(player, taken) for player in players]


def _seat_name(player: SeatRequest, taken: list[str]) -> str | None:
    """Return a seat's name, and add a bot's to those taken."""
    if player.bot is None:
        return player.name
    name = unique_name(player.name or player.bot.capitalize(), taken)
    taken.append(name)
    return name


def _check_differs(name: str, others: Iterable[str]) -> None:
    key = name_key(name)
    for other in others:
        if name_key(other) == key:
            raise Conflict(f"the name {name} is taken: a player of this game is {other}")

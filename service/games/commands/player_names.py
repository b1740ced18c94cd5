"""Names within a game, which all differ to the eye: persons' are refused where they do not, bots' are numbered.

Source: api.md, "Ground rules".
"""

from collections.abc import Iterable, Sequence

from schemas.lobby import SeatRequest
from schemas.player_names import name_key, unique_name
from service.engine import Game
from service.games.errors import Conflict

__all__ = ["assign_names", "check_name_free"]


def check_name_free(game: Game, name: str) -> None:
    """Raise Conflict where a player of the game has a name that looks like this one."""
    _check_differs(name, (player.name for player in game.players if player.name is not None))


def assign_names(players: Sequence[SeatRequest]) -> list[str | None]:
    """The name of each seat, None where it is open. Raises Conflict where two persons' look alike.

    A bot without a name is called after itself; whatever it is called, it gets the first number that is free.
    """
    taken: list[str] = []
    for player in players:
        if player.name is not None and player.bot is None:
            _check_differs(player.name, taken)
            taken.append(player.name)
    return [_seat_name(player, taken) for player in players]


def _seat_name(player: SeatRequest, taken: list[str]) -> str | None:
    """A seat's name; a bot's is then taken too."""
    if player.bot is None:
        return player.name
    name = unique_name(player.name or player.bot.capitalize(), taken)
    taken.append(name)
    return name


def _check_differs(name: str, others: Iterable[str]) -> None:
    key = name_key(name)
    for other in others:
        if name_key(other) == key:
            raise Conflict(f"the name {name} looks like {other}, which another player of this game has")

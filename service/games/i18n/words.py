"""Small pieces of sentences: wares, points, costs, colours, names."""

from collections.abc import Iterator

from schemas.tileset import Cost
from schemas.vocabulary import Color, Wares
from service.engine import Game
from service.games.i18n.catalogue import Speech, mark

_COLORS: dict[Color, str] = {
    "red": mark("red"),
    "blue": mark("blue"),
    "green": mark("green"),
    "yellow": mark("yellow"),
    "black": mark("black"),
}


def color(speech: Speech, name: Color) -> str:
    """A player's colour (R1.1)."""
    return speech.say(_COLORS[name])


def points(speech: Speech, number: int) -> str:
    """What a ship is worth."""
    return speech.count("{number} point", "{number} points", number)


def each_ware(speech: Speech, wares: Wares) -> list[str]:
    """Each kind of wares that there is any of, with its number."""
    bananas = speech.count("{number} banana", "{number} bananas", wares.bananas) if wares.bananas else ""
    shells = speech.count("{number} shell", "{number} shells", wares.shells) if wares.shells else ""
    return [part for part in (bananas, shells, fish(speech, wares.fish) if wares.fish else "") if part]


def fish(speech: Speech, number: int) -> str:
    """So many fish."""
    return speech.count("{number} fish", "{number} fish", number)


def cost(speech: Speech, asked: Cost) -> str:
    """What a ship asks for (R6.3)."""
    named = each_ware(speech, Wares(bananas=asked.bananas, shells=asked.shells, fish=asked.fish))
    if asked.any:
        named.append(speech.count("{number} ware of any kind", "{number} wares of any kind", asked.any))
    named += _alike(speech, asked.same)
    return speech.listed(named) or speech.say("nothing")


def _alike(speech: Speech, same: tuple[int, ...]) -> Iterator[str]:
    """Groups of identical wares, each of another kind."""
    for place, number in enumerate(same):
        if len(same) == 1:
            yield speech.count("{number} identical ware", "{number} identical wares", number)
        elif place == 0:
            yield speech.count("{number} ware of one kind", "{number} wares of one kind", number)
        else:
            yield speech.count("{number} ware of another kind", "{number} wares of another kind", number)


def names(speech: Speech, game: Game) -> list[str]:
    """What each seat's player is called; who has no name is called by the seat, counted from 1."""
    return [player.name or speech.say("player {number}", number=seat + 1) for seat, player in enumerate(game.players)]

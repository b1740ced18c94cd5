"""Small pieces of sentences: wares, points, costs, colours, names."""

from collections.abc import Iterator

from schemas.tileset import Cost
from schemas.vocabulary import Color, Wares
from service.engine import Game
from service.games.i18n.catalogue import Translator, gettext_noop

_COLORS: dict[Color, str] = {
    "red": gettext_noop("red"),
    "blue": gettext_noop("blue"),
    "green": gettext_noop("green"),
    "yellow": gettext_noop("yellow"),
    "black": gettext_noop("black"),
}


def color_name(speech: Translator, name: Color) -> str:
    """A player's colour (R1.1)."""
    return speech.gettext(_COLORS[name])


def point_count(speech: Translator, number: int) -> str:
    """What a ship is worth."""
    return speech.ngettext("{number} point", "{number} points", number)


def ware_counts(speech: Translator, wares: Wares) -> list[str]:
    """Each kind of wares that there is any of, with its number."""
    bananas = speech.ngettext("{number} banana", "{number} bananas", wares.bananas) if wares.bananas else ""
    shells = speech.ngettext("{number} shell", "{number} shells", wares.shells) if wares.shells else ""
    return [part for part in (bananas, shells, fish_count(speech, wares.fish) if wares.fish else "") if part]


def fish_count(speech: Translator, number: int) -> str:
    """So many fish."""
    return speech.ngettext("{number} fish", "{number} fish", number)


def ship_cost(speech: Translator, asked: Cost) -> str:
    """What a ship asks for (R6.3)."""
    named = ware_counts(speech, Wares(bananas=asked.bananas, shells=asked.shells, fish=asked.fish))
    if asked.any:
        named.append(speech.ngettext("{number} ware of any kind", "{number} wares of any kind", asked.any))
    named += _identical_ware_counts(speech, asked.same)
    return speech.join_list(named) or speech.gettext("nothing")


def _identical_ware_counts(speech: Translator, same: tuple[int, ...]) -> Iterator[str]:
    """Groups of identical wares, each of another kind."""
    for place, number in enumerate(same):
        if len(same) == 1:
            yield speech.ngettext("{number} identical ware", "{number} identical wares", number)
        elif place == 0:
            yield speech.ngettext("{number} ware of one kind", "{number} wares of one kind", number)
        else:
            yield speech.ngettext("{number} ware of another kind", "{number} wares of another kind", number)


def player_names(speech: Translator, game: Game) -> list[str]:
    """What each seat's player is called; who has no name is called by the seat, counted from 1."""
    return [
        player.name or speech.gettext("player {number}", number=seat + 1) for seat, player in enumerate(game.players)
    ]

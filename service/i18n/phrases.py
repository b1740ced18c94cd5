"""Phrases that sentences are made of: wares, points, costs, colours, names, places."""

from collections.abc import Iterator

from schemas.game import Score
from schemas.tileset import Cost
from schemas.vocabulary import Color, Edge, Wares
from service.engine import Game
from service.i18n.catalogue import Translator, gettext_noop, ngettext_noop

_COLORS: dict[Color, str] = {
    "red": gettext_noop("red"),
    "blue": gettext_noop("blue"),
    "green": gettext_noop("green"),
    "yellow": gettext_noop("yellow"),
    "black": gettext_noop("black"),
}


_KINDS_OF_WARES = (
    ngettext_noop("{number} ware of one kind", "{number} wares of one kind"),
    ngettext_noop("{number} ware of another kind", "{number} wares of another kind"),
    ngettext_noop("{number} ware of a third kind", "{number} wares of a third kind"),
)
"""One for each kind of ware: a cost has no more groups."""

ON_START = gettext_noop("on the start tile")
FROM_START = gettext_noop("{distance} of the start")
DISTANCES: dict[Edge, tuple[str, str]] = {
    "n": ngettext_noop("{number} north", "{number} north"),
    "e": ngettext_noop("{number} east", "{number} east"),
    "s": ngettext_noop("{number} south", "{number} south"),
    "w": ngettext_noop("{number} west", "{number} west"),
}
BOTH_DISTANCES: dict[Edge, str] = {
    "e": gettext_noop("{distance} and {number} east"),
    "w": gettext_noop("{distance} and {number} west"),
}


def color_name(translator: Translator, name: Color) -> str:
    """Return a player's colour (R1.1)."""
    return translator.gettext(_COLORS[name])


def point_count(translator: Translator, number: int) -> str:
    """Return a number of points."""
    return translator.ngettext("{number} point", "{number} points", number)


def ware_counts(translator: Translator, wares: Wares) -> list[str]:
    """Return each kind of ware with its number, without kinds that have none."""
    numbers = (wares.bananas, wares.shells, wares.fish)
    return [text for text, number in zip(all_ware_counts(translator, wares), numbers, strict=True) if number]


def all_ware_counts(translator: Translator, wares: Wares) -> tuple[str, str, str]:
    """Return each kind of ware with its number."""
    return (
        translator.ngettext("{number} banana", "{number} bananas", wares.bananas),
        translator.ngettext("{number} shell", "{number} shells", wares.shells),
        fish_count(translator, wares.fish),
    )


def fish_count(translator: Translator, number: int) -> str:
    """Return a number of fish."""
    return translator.ngettext("{number} fish", "{number} fish", number)


def ship_cost(translator: Translator, required: Cost) -> str:
    """Return the cost of a ship (R6.3)."""
    parts = [*_free_ware_counts(translator, required), *_identical_ware_counts(translator, required.same)]
    return translator.join_list(parts) or translator.gettext("nothing")


def short_ship_cost(translator: Translator, required: Cost) -> str:
    """Return the cost of a ship, such as "1 banana + 2 + 2 + 1 identical"."""
    parts = _free_ware_counts(translator, required)
    if required.same:
        parts.append(translator.gettext("{numbers} identical", numbers=" + ".join(map(str, required.same))))
    return " + ".join(parts) or translator.gettext("nothing")


def _free_ware_counts(translator: Translator, required: Cost) -> list[str]:
    """Return the wares of a cost that are in no group of identical ones."""
    parts = ware_counts(translator, Wares(bananas=required.bananas, shells=required.shells, fish=required.fish))
    if required.any:
        parts.append(translator.ngettext("{number} ware of any kind", "{number} wares of any kind", required.any))
    return parts


def _identical_ware_counts(translator: Translator, same: tuple[int, ...]) -> Iterator[str]:
    """Yield the groups of identical wares, each of a different kind."""
    for group, number in enumerate(same):
        if len(same) == 1:
            yield translator.ngettext("{number} identical ware", "{number} identical wares", number)
        else:
            yield translator.ngettext(*_KINDS_OF_WARES[group], number)


def score_parts(translator: Translator, score: Score, *, resigned: bool) -> str:
    """Return what a final score is made of (R7.3), and whether the player resigned."""
    ships_and_wares = translator.gettext("ships {ships}, wares {wares}", ships=score.ships, wares=score.wares)
    return translator.gettext("{parts}; resigned", parts=ships_and_wares) if resigned else ships_and_wares


def place_phrase(translator: Translator, x: int, y: int) -> str:
    """Return where a cell is.

    >>> from service.i18n.catalogue import get_translator
    >>> place_phrase(get_translator("en"), 2, -1)
    '1 north and 2 east of the start'
    """
    if x == y == 0:
        return translator.gettext(ON_START)
    down: Edge = "n" if y < 0 else "s"
    across: Edge = "w" if x < 0 else "e"
    edge, number = (down, abs(y)) if y else (across, abs(x))
    distance = translator.ngettext(*DISTANCES[edge], number)
    if x and y:
        distance = translator.gettext(BOTH_DISTANCES[across], distance=distance, number=abs(x))
    return translator.gettext(FROM_START, distance=distance)


def player_names(translator: Translator, game: Game) -> list[str]:
    """Return each seat's player name; a nameless player is called by the seat, counted from 1."""
    return [
        player.name or translator.gettext("player {number}", number=seat + 1)
        for seat, player in enumerate(game.players)
    ]

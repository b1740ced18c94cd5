"""What every text is made of: the translator, phrases, and the English sentences of events.

English, the source language, needs no catalogue; all other languages translate these.

Sentences stand by event type and variant, those of passes, which have no event, by move. The page uses the same
sentences without tiles, which it shows: `tools.catalogues` writes them there.
"""

import gettext
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from schemas.game import Score
from schemas.tileset import Cost
from schemas.vocabulary import Color, Edge, Wares
from service.engine import Game

Language = Literal["en", "fr", "de"]

LANGUAGES: tuple[Language, ...] = ("en", "fr", "de")
"""All languages of the texts, the source language first."""

ENGLISH: Language = "en"


class Translator:
    """Translates messages into one language and fills in their `{name}` placeholders."""

    __slots__ = ("_translate", "_translations", "language")

    def __init__(self, language: Language, translations: gettext.NullTranslations) -> None:
        self.language = language
        self._translations = translations
        self._translate = cache(translations.gettext)  # a list of moves has the same message a hundred times

    def gettext(self, message: str, **values: Any) -> str:
        """Return the translated message with its values, which are inserted unchanged, braces included."""
        return self._translate(message).format_map(values)

    def ngettext(self, one: str, many: str, number: int, **values: Any) -> str:
        """Return the translated message in the language's plural form for `number`."""
        values["number"] = number
        return self._translations.ngettext(one, many, number).format_map(values)

    def join_list(self, parts: Sequence[str]) -> str:
        """Join parts into a list such as "Ana, Bo and Cy".

        >>> get_translator("fr").join_list(["Ana", "Bo", "Cy"])
        'Ana, Bo et Cy'
        """
        if len(parts) < 2:
            return "".join(parts)
        return self.gettext("{most} and {last}", most=", ".join(parts[:-1]), last=parts[-1])


@cache
def get_translator(language: Language) -> Translator:
    """Return the translator of a language; its catalogue is read once."""
    if language == ENGLISH:
        return Translator(language, gettext.NullTranslations())
    with (files("service.i18n") / "catalogues" / f"{language}.mo").open("rb") as compiled:
        return Translator(language, gettext.GNUTranslations(compiled))


def gettext_noop(message: str) -> str:
    """Return the message itself; marks a message that is translated elsewhere for extraction."""
    return message


def ngettext_noop(one: str, many: str) -> tuple[str, str]:
    """Return the messages themselves; marks messages with plural forms that are translated elsewhere."""
    return one, many


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

    >>> from service.i18n.phrases import get_translator
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


SENTENCES: dict[str, str] = {
    "game_created": gettext_noop("A new game: the start tile is in place, the first ships are turned up."),
    "player_joined": gettext_noop("{player} joins ({color})."),
    "player_left": gettext_noop("{player} leaves: the seat is open again."),
    "game_started": gettext_noop("The game begins, {player} goes first."),
    "turn_started": gettext_noop("It is {player}’s turn."),
    "tile_drawn": gettext_noop("Tile drawn: {tile}."),
    "tile_discarded": gettext_noop("This tile fits nowhere and leaves the game: {tile}."),
    "tile_placed": gettext_noop("{player} places a tile {place}: {tile}."),
    "islander_placed.island": gettext_noop("{player} places a banana picker {segment}."),
    "islander_placed.bridge": gettext_noop("{player} places a shell collector {segment}."),
    "islander_placed.sea": gettext_noop("{player} places a fisherman {segment}."),
    "islander_placed.market": gettext_noop("{player} places a merchant {segment}."),
    "islander_retrieved.island": gettext_noop("{player} retrieves the banana picker {place}."),
    "islander_retrieved.bridge": gettext_noop("{player} retrieves the shell collector {place}."),
    "islander_retrieved.sea": gettext_noop("{player} retrieves the fisherman {place}."),
    "islander_retrieved.market": gettext_noop("{player} retrieves the merchant {place}."),
    "islander_returned.island": gettext_noop("The banana picker {place} returns to {player}."),
    "islander_returned.bridge": gettext_noop("The shell collector {place} returns to {player}."),
    "islander_returned.sea": gettext_noop("The fisherman {place} returns to {player}."),
    "islander_returned.market": gettext_noop("The merchant {place} returns to {player}."),
    "pass.islander": gettext_noop("{player} places no islander."),
    "pass.deliver": gettext_noop("{player} delivers nothing."),
    "feature_evaluated.island.completed": gettext_noop("Island completed {place}: {gain}."),
    "feature_evaluated.bridge.completed": gettext_noop("Bridge completed {place}: {gain}."),
    "feature_evaluated.sea.completed": gettext_noop("Sea region completed {place}: {gain}."),
    "feature_evaluated.sea.boat": gettext_noop("A fishing boat comes in {place}: {gain}."),
    "feature_evaluated.island.final": gettext_noop("Incomplete island {place}: {gain}."),
    "feature_evaluated.bridge.final": gettext_noop("Incomplete bridge {place}: {gain}."),
    "feature_evaluated.sea.final": gettext_noop("Incomplete sea region {place}: {gain}."),
    "gain.nothing": gettext_noop("nothing for {players}"),
    "gain.one": gettext_noop("{player} receives {wares}"),
    "gain.each": gettext_noop("{players} receive {wares} each"),
    "fish_covered": gettext_noop("The boat covers {fish}, {place}."),
    "ship_taken.market": gettext_noop("The market brings {player} a ship worth {points}."),
    "ship_taken.delivery": gettext_noop("{player} delivers {wares} to a ship worth {points}."),
    "ship_revealed": gettext_noop("A new ship, worth {points}, asks for {cost}."),
    "turn_timed_out": gettext_noop("Time is up for {player}."),
    "turn_timed_out.pass": gettext_noop("Time is up for {player}: the clock plays."),
    "turn_timed_out.resign": gettext_noop(
        "Time is up for {player}, which counts as resigning; all islanders of this player go home."
    ),
    "player_replaced": gettext_noop("The bot {bot} stands in for {player}."),
    "player_returned": gettext_noop("{player} is back."),
    "player_resigned": gettext_noop("{player} resigns; all islanders of this player go home."),
    "move_undone": gettext_noop("{player} undoes the last action."),
    "move_undone.tile": gettext_noop("{player} takes back the tile {place}."),
    "move_undone.islander": gettext_noop("{player} takes the islander back."),
    "move_undone.retrieved": gettext_noop("{player} puts the islander back {place}."),
    "move_undone.delivery": gettext_noop("{player} takes the delivery back."),
    "rematch_created": gettext_noop("The same players play again, in the game {game}."),
    "game_finished.last_tile": gettext_noop("The game is over: the last tile has been placed."),
    "game_finished.last_ship": gettext_noop("The game is over: the last ship has been taken."),
    "game_finished.bag_exhausted": gettext_noop("The game is over: none of the last tiles could be placed."),
    "game_finished.resigned": gettext_noop("The game is over: only one player is left."),
    "won.nobody": gettext_noop("Nobody wins."),
    "won.one": gettext_noop("{player} wins."),
    "won.shared": gettext_noop("{players} share the win."),
    "game_aborted": gettext_noop("The game was aborted."),
}


def translate_sentence(translator: Translator, key: str, **values: Any) -> str:
    """Return the translated sentence with this key."""
    return translator.gettext(SENTENCES[key], **values)

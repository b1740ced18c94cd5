"""What every text is made of: the translator, phrases, and `messages.json`, the English texts that are chosen by a key.

English, the source language, needs no catalogue; all other languages translate these. The page uses the sentences of
events too, without tiles, which it shows: `tools.catalogues` writes them there.
"""

import gettext
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import msgspec

from schemas.game import Score
from schemas.tileset import Cost
from schemas.vocabulary import Color, Edge, Wares
from service.engine import Game, Message

Language = Literal["en", "fr", "de"]

LANGUAGES: tuple[Language, ...] = ("en", "fr", "de")
"""All languages of the texts, the source language first."""

ENGLISH: Language = "en"


class Translator:
    """Translates messages into one language and fills in their `{name}` placeholders."""

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

    def word(self, text: object) -> str:
        """Return a Message in this language; anything else as it is."""
        if not isinstance(text, Message):
            return str(text)
        values = {
            name: self.word(value) if isinstance(value, Message) else value for name, value in text.values.items()
        }
        return self.gettext(text.template, **values)

    def text(self, key: str, /, **values: Any) -> str:
        """Return the translation of the text with this key."""
        return self.gettext(TEXTS[key], **values)

    def count(self, key: str, number: int, /, **values: Any) -> str:
        """Return the translation of the text with this key for a number."""
        return self.ngettext(*COUNTS[key], number, **values)

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


class _Messages(msgspec.Struct):
    events: dict[str, str]
    """Sentences by event type and variant, those of passes, which have no event, by move."""
    texts: dict[str, str]
    counts: dict[str, tuple[str, str]]
    """For one, and for any other number."""


_MESSAGES = msgspec.json.decode((files("service.i18n") / "messages.json").read_bytes(), type=_Messages)
SENTENCES, COUNTS = _MESSAGES.events, _MESSAGES.counts
TEXTS = SENTENCES | _MESSAGES.texts


def color_name(translator: Translator, name: Color) -> str:
    """Return a player's colour (R1.1)."""
    return translator.text(f"color.{name}")


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
    for group, number in enumerate(same, start=1):
        if len(same) == 1:
            yield translator.ngettext("{number} identical ware", "{number} identical wares", number)
        else:
            yield translator.count(f"wares.{group}", number)


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
        return translator.text("place.start")
    down: Edge = "n" if y < 0 else "s"
    across: Edge = "w" if x < 0 else "e"
    edge, number = (down, abs(y)) if y else (across, abs(x))
    distance = translator.count(f"distance.{edge}", number)
    if x and y:
        distance = translator.text(f"place.both.{across}", distance=distance, number=abs(x))
    return translator.text("place", distance=distance)


def player_names(translator: Translator, game: Game) -> list[str]:
    """Return each seat's player name; a nameless player is called by the seat, counted from 1."""
    return [
        player.name or translator.gettext("player {number}", number=seat + 1)
        for seat, player in enumerate(game.players)
    ]

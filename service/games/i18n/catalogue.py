"""The catalogues, and what every text is made with. English is what the source says, so it needs no catalogue."""

import gettext
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal

Language = Literal["en", "fr", "de"]

LANGUAGES: tuple[Language, ...] = ("en", "fr", "de")
"""Every language that texts are in, the one of the source first."""

ENGLISH: Language = "en"


class _Messages(dict[str, str]):
    """Translations by the English message, each looked up once: a list of moves says the same one a hundred times."""

    def __init__(self, translations: gettext.NullTranslations) -> None:
        self._translations = translations

    def __missing__(self, message: str) -> str:
        self[message] = translated = self._translations.gettext(message)
        return translated


class Translator:
    """One language: messages by the English ones, with values put where `{name}` stands."""

    __slots__ = ("_messages", "_translations", "language")

    def __init__(self, language: Language, translations: gettext.NullTranslations) -> None:
        self.language = language
        self._translations = translations
        self._messages = _Messages(translations)

    def gettext(self, message: str, **values: Any) -> str:
        """A message; the values are put in as they are, braces and all."""
        return self._messages[message].format_map(values)

    def ngettext(self, one: str, many: str, number: int, **values: Any) -> str:
        """The message for `number`, in the plural form that the language has for it."""
        values["number"] = number
        return self._translations.ngettext(one, many, number).format_map(values)

    def join_list(self, parts: Sequence[str]) -> str:
        """Things in a row, as one says them.

        >>> speech("fr").listed(["Ana", "Bo", "Cy"])
        'Ana, Bo et Cy'
        """
        if len(parts) < 2:
            return "".join(parts)
        return self.gettext("{most} and {last}", most=", ".join(parts[:-1]), last=parts[-1])


@cache
def get_translator(language: Language) -> Translator:
    """The speech of a language; its catalogue is read once."""
    if language == ENGLISH:
        return Translator(language, gettext.NullTranslations())
    with (files("service.games.i18n") / "catalogues" / f"{language}.mo").open("rb") as compiled:
        return Translator(language, gettext.GNUTranslations(compiled))


def gettext_noop(message: str) -> str:
    """The message itself: marks one that is said elsewhere, so that the catalogues have it."""
    return message

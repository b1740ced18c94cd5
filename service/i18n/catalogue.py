"""The message catalogues and the translator that every text is made with. English, the source language, needs none."""

import gettext
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal

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

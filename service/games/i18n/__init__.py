"""What people read: legal moves, what happened and whose turn it is, in each of `LANGUAGES`.

Everything here is pure: a tile set's tables, a game, and a move or an event make a sentence. Players' names are put in
as they are; nothing is marked up.

    describe(speech, tables, game, action)      a legal move with its text
    Teller(...).sentence(event)                 what happened
    situation(speech, tables, game)             what is waited for

English stands in the source; `catalogues` holds the others as gettext catalogues. `python -m service.games.i18n`
brings them up to date with the source and compiles them.
"""

from service.games.i18n.catalogue import ENGLISH, LANGUAGES, Language, Translator, get_translator
from service.games.i18n.events import EventNarrator
from service.games.i18n.moves import describe_cell, describe_move
from service.games.i18n.status import describe_status

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "EventNarrator",
    "Language",
    "Translator",
    "describe_cell",
    "describe_move",
    "describe_status",
    "get_translator",
]

"""Texts for people: legal moves, events and the state of a game, in each of `LANGUAGES`.

Everything here is pure: tile set, game, and a move or an event make a sentence. Players' names are inserted unchanged;
nothing is marked up.

    describe_move(translator, index, game, action)   a legal move with its text
    MoveAppraiser(...).appraise(move)                what it is worth
    describe_occupied_feature(translator, names, feature)   the same of a feature, and whose it is
    EventNarrator(...).narrate_event(event)          what happened
    describe_status(translator, index, game)         whose decision it is, or who won
    title_game(translator, names)                    the title of a link to it

The source has the English messages; `catalogues` holds the other languages as gettext catalogues.
`tools.catalogues` updates them from the source and compiles them.
"""

from service.i18n.events import EventNarrator
from service.i18n.moves import MoveAppraiser, describe_cell, describe_move, describe_occupied_feature
from service.i18n.phrases import ENGLISH, LANGUAGES, Language, Translator, get_translator, player_names
from service.i18n.status import describe_hidden_game, describe_status, title_game
from service.i18n.tile_names import tile_names

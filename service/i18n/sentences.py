"""The English sentences of events, by event type and variant, and of passes, which have no event, by move.

All other languages translate these.

The page uses the same sentences without tiles, which it shows: `tools.catalogues` writes them there.
"""

from typing import Any

from service.i18n.catalogue import Translator, gettext_noop

__all__ = ["SENTENCES", "translate_sentence"]

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

"""What happened, as the English sentences that all others are made of: by the event's type, and what else decides.

The page has the same ones, without the cells, which it shows: `python -m service.games.i18n` writes them there.
"""

from typing import Any

from service.games.i18n.catalogue import Speech, mark

__all__ = ["SENTENCES", "tell"]

SENTENCES: dict[str, str] = {
    "game_created": mark("A new game: the start tile lies, the first ships are turned up."),
    "player_joined": mark("{player} joins ({color})."),
    "player_left": mark("{player} has to leave: the seat is open again."),
    "game_started": mark("The game begins, {player} is the first player."),
    "turn_started": mark("It is {player}'s turn."),
    "tile_drawn": mark("The tile to place is {tile}."),
    "tile_discarded": mark("{tile} cannot be placed and leaves the game."),
    "tile_placed": mark("{player} places {tile} at ({x}, {y})."),
    "islander_placed.island": mark("{player} places a banana picker on an island."),
    "islander_placed.bridge": mark("{player} places a shell collector on a bridge."),
    "islander_placed.sea": mark("{player} places a fisherman in a sea region."),
    "islander_placed.market": mark("{player} places a merchant in a market."),
    "islander_retrieved.island": mark("{player} retrieves the banana picker from ({x}, {y})."),
    "islander_retrieved.bridge": mark("{player} retrieves the shell collector from ({x}, {y})."),
    "islander_retrieved.sea": mark("{player} retrieves the fisherman from ({x}, {y})."),
    "islander_retrieved.market": mark("{player} retrieves the merchant from ({x}, {y})."),
    "islander_returned.island": mark("The banana picker at ({x}, {y}) returns to {player}."),
    "islander_returned.bridge": mark("The shell collector at ({x}, {y}) returns to {player}."),
    "islander_returned.sea": mark("The fisherman at ({x}, {y}) returns to {player}."),
    "islander_returned.market": mark("The merchant at ({x}, {y}) returns to {player}."),
    "feature_evaluated.island.completed": mark("Island completed: {gain}."),
    "feature_evaluated.bridge.completed": mark("Bridge completed: {gain}."),
    "feature_evaluated.sea.completed": mark("Sea region completed: {gain}."),
    "feature_evaluated.sea.boat": mark("A fishing boat comes: {gain}."),
    "feature_evaluated.island.final": mark("Incomplete island: {gain}."),
    "feature_evaluated.bridge.final": mark("Incomplete bridge: {gain}."),
    "feature_evaluated.sea.final": mark("Incomplete sea region: {gain}."),
    "gain.nothing": mark("nothing for {players}"),
    "gain.one": mark("{player} receives {wares}"),
    "gain.each": mark("{players} receive {wares} each"),
    "fish_covered": mark("The boat covers {fish} at ({x}, {y})."),
    "ship_taken.market": mark("The market brings {player} a ship worth {points}."),
    "ship_taken.delivery": mark("{player} delivers {wares} to a ship worth {points}."),
    "ship_revealed": mark("A new ship, worth {points}, asks for {cost}."),
    "turn_timed_out": mark("Time is up for {player}."),
    "player_replaced": mark("The bot {bot} stands in for {player}."),
    "player_returned": mark("{player} is back."),
    "player_resigned": mark("{player} resigns."),
    "move_undone": mark("{player} takes the last move back."),
    "rematch_created": mark("The same players play again: {game}."),
    "game_finished.last_tile": mark("The game is over: the last tile is placed."),
    "game_finished.last_ship": mark("The game is over: the last ship is taken."),
    "game_finished.bag_exhausted": mark("The game is over: no tile that is left can be placed."),
    "game_finished.resigned": mark("The game is over: all others have resigned."),
    "won.nobody": mark("Nobody wins."),
    "won.one": mark("{player} wins."),
    "won.shared": mark("{players} share the win."),
    "game_aborted": mark("The game was ended before its end."),
}


def tell(speech: Speech, sentence: str, **values: Any) -> str:
    """Say the sentence of this name."""
    return speech.say(SENTENCES[sentence], **values)

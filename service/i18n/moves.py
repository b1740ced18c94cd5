"""Legal moves in words, at most 100 characters in every language, and what a move, a feature or a ship is worth."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from msgspec.structs import replace

from schemas import actions
from schemas.commands import MissingWares, ShipOffer
from schemas.events import AnyEvent, TurnStarted
from schemas.vocabulary import Wares
from service.engine import Game, TileSetIndex, move_effects, move_feature, move_id
from service.engine.delivery import missing_wares
from service.engine.islanders import can_place, can_retrieve
from service.engine.tileset_index import FEATURE_KINDS, pack_cell
from service.i18n import phrases
from service.i18n.events import EventNarrator
from service.i18n.tile_names import segment_phrase, tile_names

MAX_TEXT_LENGTH = 100

IslanderOptions = Literal["place", "retrieve", "place or retrieve"]
"""What may be done in the islander phase, besides passing."""


def describe_move(
    translator: phrases.Translator, index: TileSetIndex, game: Game, action: actions.Action
) -> actions.Move:
    """Return a legal move with its id and text."""
    match action:
        case actions.PlaceTile(x, y, rotation):
            text = _placement(translator, tile_names(translator.language, index)[game.tile].land, x, y, rotation)
        case actions.PlaceIslander(segment):
            kind, placed = FEATURE_KINDS[index.tiles[game.tile].kinds[segment]], game.oriented_tiles[-1]
            text = translator.text(f"move.place.{kind}", segment=segment_phrase(translator, index, placed, segment))
        case actions.RetrieveIslander(x, y, segment):
            order = game.board[pack_cell(x, y)]
            kind = FEATURE_KINDS[index.tiles[game.oriented_tiles[order] >> 2].kinds[segment]]
            text = translator.text(f"move.retrieve.{kind}", place=phrases.place_phrase(translator, x, y))
        case actions.TakeShip(ship):
            text = _ship_text(translator, index, game, ship, "move.take_ship")
        case actions.Deliver(ship, wares):
            text = _ship_text(translator, index, game, ship, "move.deliver", wares=_ware_text(translator, wares))
        case actions.Pass("islander"):
            text = translator.text(f"move.pass.{islander_options(game)}")
        case _:
            text = translator.gettext("deliver nothing")
    return actions.Move(
        id=move_id(action), text=text, action=action, effects=None, if_passed=None, feature=None, worth=None
    )


def describe_cell(translator: phrases.Translator, x: int, y: int, moves: int) -> str:
    """Return the text of a cell and its number of moves."""
    place = phrases.place_phrase(translator, x, y)
    return translator.ngettext("{place}: {number} move", "{place}: {number} moves", moves, place=place)


def islander_options(game: Game) -> IslanderOptions:
    """Return what the player may do in the islander phase (R4)."""
    if not can_retrieve(game):
        return "place"
    return "place or retrieve" if can_place(game) else "retrieve"


def _placement(translator: phrases.Translator, tile: str, x: int, y: int, rotation: int) -> str:
    """Return a placement with the tile's name, or without it where there is no room."""
    moves = _placements(translator, x, y, rotation)
    for move in moves:
        text = translator.gettext("{move}: {tile}", move=move, tile=tile)
        if len(text) <= MAX_TEXT_LENGTH:
            return text
    return _first_that_fits(*moves)


@lru_cache(maxsize=4096)
def _placements(translator: phrases.Translator, x: int, y: int, rotation: int) -> tuple[str, ...]:
    """Return the texts of a placement, the best first; cached, because all games have the same few cells."""
    turned = ("move.tile.clockwise", "move.tile.turned") if rotation % 2 else ("move.tile.turned",)
    keys = turned if rotation else ("move.tile",)
    place = phrases.place_phrase(translator, x, y)
    return tuple([translator.text(key, place=place, degrees=90 * rotation) for key in keys])


def _ship_text(
    translator: phrases.Translator, index: TileSetIndex, game: Game, ship: str, key: str, **values: str
) -> str:
    """Return what is done with a ship, which is called by its points, and by its cost where others have as many.

    Ships that are equal, or whose cost has no room, are numbered as they lie in the display.
    """
    number = index.ship_numbers[ship]
    points = index.ships[number].points
    values["points"] = phrases.point_count(translator, points)
    alike = [other for other in game.display if index.ships[other].points == points]
    text = translator.text(key, **values)
    if len(alike) < 2:
        return text

    def describe(other: int) -> str:
        cost = index.tileset.ships[other].cost
        costs = (phrases.ship_cost(translator, cost), phrases.short_ship_cost(translator, cost))
        return _first_that_fits(*(translator.text(f"{key}.cost", **values, cost=one) for one in costs), text)

    texts = [describe(other) for other in alike]
    place = alike.index(number)
    equal = [other for other, one in enumerate(texts) if one == texts[place]]
    return f"{texts[place]} ({equal.index(place) + 1})" if len(equal) > 1 else texts[place]


def _first_that_fits(*texts: str) -> str:
    """Return the first text that is short enough, else the last."""
    return next((text for text in texts if len(text) <= MAX_TEXT_LENGTH), texts[-1])


def _ware_text(translator: phrases.Translator, wares: Wares | None) -> str:
    if wares is None:
        return translator.gettext("wares")
    return " + ".join(phrases.ware_counts(translator, wares)) or translator.gettext("nothing")


class MoveAppraiser(NamedTuple):
    """Says what the legal moves of one position are worth."""

    translator: phrases.Translator
    tileset_index: TileSetIndex
    game: Game
    narrator: EventNarrator
    passed: list[AnyEvent]
    """What comes in the islander phase whatever is done with the islanders."""

    @classmethod
    def of(cls, translator: phrases.Translator, index: TileSetIndex, game: Game) -> "MoveAppraiser":
        """Return the appraiser of a game's position."""
        passed = move_effects(index, game, actions.Pass("islander")).events if game.phase == "islander" else []
        return cls(translator, index, game, EventNarrator.of(translator, index, game), passed)

    def appraise(self, move: actions.Move) -> actions.Move:
        """Return a legal move with its effects and feature, and both in words."""
        effects, if_passed = move_effects(self.tileset_index, self.game, move.action)
        feature = move_feature(self.tileset_index, self.game, move.action)
        own = (
            0 if isinstance(move.action, actions.Pass) else 1
        )  # the first event is the move itself, of which `text` tells
        caused = (
            event for event in [*effects[own:], *(if_passed or ())] if feature is None or event not in self.passed
        )
        text = self.narrator.narrate_change(event for event in caused if not isinstance(event, TurnStarted))
        if feature is not None and isinstance(move.action, actions.RetrieveIslander):
            decider = self.game.decider
            loss = describe_loss(self.translator, self.narrator.player_names[decider], decider, feature)
            text = f"{loss} {text}".rstrip()
        elif feature is not None and feature.open:  # what evaluates the feature at once says what it gives
            text = f"{describe_feature(self.translator, feature)} {text}".rstrip()
        return replace(move, effects=effects, if_passed=if_passed, feature=feature, worth=text)

    def appraise_ships(self) -> list[ShipOffer]:
        """Return what each ship in the display costs, and what the decider lacks (R6.3)."""
        return [self._appraise_ship(ship) for ship in self.game.display]

    def _appraise_ship(self, number: int) -> ShipOffer:
        translator, ship = self.translator, self.tileset_index.tileset.ships[number]
        missing = missing_wares(self.tileset_index, self.game.players[self.game.decider], number)
        values = {
            "points": phrases.point_count(translator, ship.points),
            "cost": phrases.ship_cost(translator, ship.cost),
            "player": self.narrator.player_names[self.game.decider],
        }
        if lacks := _missing_wares(translator, missing):
            text = translator.gettext(
                "The ship of {points} asks for {cost}; {player} lacks {wares}.", **values, wares=lacks
            )
        else:
            text = translator.gettext("The ship of {points} asks for {cost}; {player} can pay.", **values)
        return ShipOffer(ship=ship.id, points=ship.points, cost=ship.cost, missing=missing, text=text)


def describe_occupied_feature(
    translator: phrases.Translator, names: Sequence[str], feature: actions.FeatureValue, *, evaluated: bool, over: bool
) -> str:
    """Return what a feature is worth so far, what it lacks, and to whom that goes; `names` are by seat.

    One that is `evaluated` gives nothing more (R5.5). Once the game is `over` none does: say what it was worth (R7.2).
    """
    if over and feature.open:
        return _describe_open(translator, "left_open", feature)
    if over or evaluated:
        return translator.text(f"feature.evaluated.{feature.kind}")
    most = max((count.count for count in feature.islanders), default=0)
    players = translator.join_list([names[count.seat] for count in feature.islanders if count.count == most])
    who = (
        translator.gettext("What it gives goes to {players}.", players=players)
        if players
        else translator.gettext("Nobody is there.")
    )
    return f"{describe_feature(translator, feature)} {who}"


def describe_loss(translator: phrases.Translator, player: str, seat: int, feature: actions.FeatureValue) -> str:
    """Return what a feature would give a player, and does not without one of the player's islanders (R4.4, R5.5)."""
    counts = {count.seat: count.count for count in feature.islanders}
    # With more than the others, or with two where nobody else is, one less is enough.
    if counts.pop(seat) == max(counts.values(), default=1):
        if feature.kind == "market":
            return translator.gettext("{player} gives up the ship of the market.", player=player)
        if wares := phrases.ware_counts(translator, feature.wares):
            return translator.gettext("{player} gives up {wares}.", player=player, wares=translator.join_list(wares))
    return translator.gettext("{player} gives up nothing.", player=player)


def describe_feature(translator: phrases.Translator, feature: actions.FeatureValue) -> str:
    """Return what a feature is worth so far, and what it lacks until it is complete."""
    if feature.open:
        return _describe_open(translator, "open", feature)
    return translator.text(f"feature.complete.{feature.kind}", wares=_feature_wares(translator, feature))


def _describe_open(translator: phrases.Translator, state: str, feature: actions.FeatureValue) -> str:
    return translator.count(f"feature.{state}.{feature.kind}", feature.open, wares=_feature_wares(translator, feature))


def _feature_wares(translator: phrases.Translator, feature: actions.FeatureValue) -> str:
    return translator.join_list(phrases.ware_counts(translator, feature.wares)) or translator.gettext("nothing")


def _missing_wares(translator: phrases.Translator, missing: MissingWares) -> str:
    parts = phrases.ware_counts(translator, Wares(bananas=missing.bananas, shells=missing.shells, fish=missing.fish))
    if missing.other:
        parts.append(translator.ngettext("{number} ware", "{number} wares", missing.other))
    return translator.join_list(parts)

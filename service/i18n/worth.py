"""What a move or a feature is worth, and what a ship costs, in whole sentences."""

from collections.abc import Sequence
from typing import NamedTuple

from schemas.actions import FeatureValue, Move, Pass, RetrieveIslander
from schemas.commands import MissingWares, ShipOffer
from schemas.events import AnyEvent, TurnStarted
from schemas.vocabulary import SegmentKind, Wares
from service.engine import Game, TileSetIndex, move_effects, move_feature
from service.engine.delivery import missing_wares
from service.i18n.catalogue import Translator, gettext_noop, ngettext_noop
from service.i18n.events import EventNarrator
from service.i18n.phrases import point_count, ship_cost, ware_counts

_OPEN: dict[SegmentKind, tuple[str, str]] = {
    "island": ngettext_noop(
        "The island is worth {wares} so far and has {number} open side.",
        "The island is worth {wares} so far and has {number} open sides.",
    ),
    "bridge": ngettext_noop(
        "The bridge is worth {wares} so far and has {number} open side.",
        "The bridge is worth {wares} so far and has {number} open sides.",
    ),
    "sea": ngettext_noop(
        "The sea region is worth {wares} so far and has {number} open side.",
        "The sea region is worth {wares} so far and has {number} open sides.",
    ),
    "market": ngettext_noop(
        "The market lacks {number} tile around it.",
        "The market lacks {number} tiles around it.",
    ),
}
_LEFT_OPEN: dict[SegmentKind, tuple[str, str]] = {
    "island": ngettext_noop(
        "At the end the island was worth {wares} and had {number} open side.",
        "At the end the island was worth {wares} and had {number} open sides.",
    ),
    "bridge": ngettext_noop(
        "At the end the bridge was worth {wares} and had {number} open side.",
        "At the end the bridge was worth {wares} and had {number} open sides.",
    ),
    "sea": ngettext_noop(
        "At the end the sea region was worth {wares} and had {number} open side.",
        "At the end the sea region was worth {wares} and had {number} open sides.",
    ),
    "market": ngettext_noop(
        "At the end the market lacked {number} tile around it and brought no ship.",
        "At the end the market lacked {number} tiles around it and brought no ship.",
    ),
}
_COMPLETE: dict[SegmentKind, str] = {
    "island": gettext_noop("The island is complete and gives {wares}."),
    "bridge": gettext_noop("The bridge is complete and gives {wares}."),
    "sea": gettext_noop("The sea region is complete and gives {wares}."),
    "market": gettext_noop("The market is complete and brings a ship."),
}
_EVALUATED: dict[SegmentKind, str] = {
    "island": gettext_noop("The island is complete and gives nothing more."),
    "bridge": gettext_noop("The bridge is complete and gives nothing more."),
    "sea": gettext_noop("The sea region is complete and gives nothing more."),
    "market": gettext_noop("The market is complete and gives nothing more."),
}


class MoveAppraiser(NamedTuple):
    """Says what the legal moves of one position are worth."""

    translator: Translator
    tileset_index: TileSetIndex
    game: Game
    narrator: EventNarrator
    passed: list[AnyEvent]
    """What comes in the islander phase whatever is done with the islanders."""

    @classmethod
    def of(cls, translator: Translator, index: TileSetIndex, game: Game) -> "MoveAppraiser":
        """Return the appraiser of a game's position."""
        passed = move_effects(index, game, Pass("islander")) if game.phase == "islander" else []
        return cls(translator, index, game, EventNarrator.of(translator, index, game), passed)

    def appraise(self, move: Move) -> Move:
        """Return a legal move with its effects and feature, and both in words."""
        effects = move_effects(self.tileset_index, self.game, move.action)
        feature = move_feature(self.tileset_index, self.game, move.action)
        own = 0 if isinstance(move.action, Pass) else 1  # the first event is the move itself, of which `text` tells
        caused = (event for event in effects[own:] if feature is None or event not in self.passed)
        text = self.narrator.narrate_change(event for event in caused if not isinstance(event, TurnStarted))
        if feature is not None and isinstance(move.action, RetrieveIslander):
            decider = self.game.decider
            loss = describe_loss(self.translator, self.narrator.player_names[decider], decider, feature)
            text = f"{loss} {text}".rstrip()
        elif feature is not None and feature.open:  # what evaluates the feature at once says what it gives
            text = f"{describe_feature(self.translator, feature)} {text}".rstrip()
        return Move(id=move.id, text=move.text, action=move.action, effects=effects, feature=feature, worth=text)

    def appraise_ships(self) -> list[ShipOffer]:
        """Return what each ship in the display costs, and what the decider lacks (R6.3)."""
        return [self._appraise_ship(ship) for ship in self.game.display]

    def _appraise_ship(self, number: int) -> ShipOffer:
        translator, ship = self.translator, self.tileset_index.tileset.ships[number]
        missing = missing_wares(self.tileset_index, self.game.players[self.game.decider], number)
        values = {
            "points": point_count(translator, ship.points),
            "cost": ship_cost(translator, ship.cost),
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
    translator: Translator, names: Sequence[str], feature: FeatureValue, *, evaluated: bool, over: bool
) -> str:
    """Return what a feature is worth so far, what it lacks, and to whom that goes; `names` are by seat.

    One that is `evaluated` gives nothing more (R5.5). Once the game is `over` none does: say what it was worth (R7.2).
    """
    if over and feature.open:
        return _describe_open(translator, _LEFT_OPEN, feature)
    if over or evaluated:
        return translator.gettext(_EVALUATED[feature.kind])
    most = max((count.count for count in feature.islanders), default=0)
    players = translator.join_list([names[count.seat] for count in feature.islanders if count.count == most])
    who = (
        translator.gettext("What it gives goes to {players}.", players=players)
        if players
        else translator.gettext("Nobody is there.")
    )
    return f"{describe_feature(translator, feature)} {who}"


def describe_loss(translator: Translator, player: str, seat: int, feature: FeatureValue) -> str:
    """Return what a feature would give a player, and does not without one of the player's islanders (R4.4, R5.5)."""
    counts = {count.seat: count.count for count in feature.islanders}
    # With more than the others, or with two where nobody else is, one less is enough.
    if counts.pop(seat) == max(counts.values(), default=1):
        if feature.kind == "market":
            return translator.gettext("{player} gives up the ship of the market.", player=player)
        if wares := ware_counts(translator, feature.wares):
            return translator.gettext("{player} gives up {wares}.", player=player, wares=translator.join_list(wares))
    return translator.gettext("{player} gives up nothing.", player=player)


def describe_feature(translator: Translator, feature: FeatureValue) -> str:
    """Return what a feature is worth so far, and what it lacks until it is complete."""
    if feature.open:
        return _describe_open(translator, _OPEN, feature)
    return translator.gettext(_COMPLETE[feature.kind], wares=_feature_wares(translator, feature))


def _describe_open(translator: Translator, sentences: dict[SegmentKind, tuple[str, str]], feature: FeatureValue) -> str:
    return translator.ngettext(*sentences[feature.kind], feature.open, wares=_feature_wares(translator, feature))


def _feature_wares(translator: Translator, feature: FeatureValue) -> str:
    return translator.join_list(ware_counts(translator, feature.wares)) or translator.gettext("nothing")


def _missing_wares(translator: Translator, missing: MissingWares) -> str:
    parts = ware_counts(translator, Wares(bananas=missing.bananas, shells=missing.shells, fish=missing.fish))
    if missing.other:
        parts.append(translator.ngettext("{number} ware", "{number} wares", missing.other))
    return translator.join_list(parts)

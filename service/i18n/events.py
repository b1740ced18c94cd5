"""What happened, in words: sentences for events, paragraphs for changes, and the words beside a board as text."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import asdict

from schemas import events as facts
from schemas.actions import Deliver, PlaceIslander, PlaceTile, RetrieveIslander
from schemas.game import GameView, Player, Score, Timestamp, Turn
from schemas.story import StoryLine
from schemas.tileset import Ship, TileSet
from schemas.vocabulary import Cell, Phase
from service.engine import Game, TileSetIndex, parse_move_id
from service.engine.tileset_index import FEATURE_KINDS, SHIPS, pack_cell
from service.i18n.phrases import (
    Translator,
    all_ware_counts,
    color_name,
    fish_count,
    place_phrase,
    player_names,
    point_count,
    score_parts,
    ship_cost,
    ware_counts,
)
from service.i18n.tile_names import name_tiles, segment_phrase, tile_names


class EventNarrator(NamedTuple):
    """Narrates the events of one game, in the order in which they happened."""

    translator: Translator
    tileset_index: TileSetIndex
    player_names: Sequence[str]
    """By seat."""
    oriented_tiles: dict[int, int]
    """Cell -> oriented tile, on the board before the next event; `narrate_event` updates it."""

    @classmethod
    def of(cls, translator: Translator, index: TileSetIndex, game: Game) -> "EventNarrator":
        """Return a narrator that starts from the current board."""
        oriented_tiles = {cell: game.oriented_tiles[order] for cell, order in game.board.items()}
        return cls(translator, index, player_names(translator, game), oriented_tiles)

    def narrate_change(self, events: Iterable[facts.AnyEvent]) -> str:
        """Return the sentences of one change, without those that another one implies."""
        listed = [*events]
        sentences = [(event, self.narrate_event(event, listed[number:])) for number, event in enumerate(listed, 1)]
        is_late = any(isinstance(event, facts.TurnTimedOut) for event in listed)
        return " ".join(sentence for event, sentence in sentences if not self._is_implied(event, is_late=is_late))

    def narrate_event(self, event: facts.AnyEvent, following: Sequence[facts.AnyEvent] = ()) -> str:
        """Return the sentence of one event; its values are the event's fields and texts derived from them.

        `following` are the events of the same change after it.
        """
        translator, key, values = self.translator, str(event.__struct_config__.tag), self._values(event)
        match event:
            case facts.TilePlaced():
                number = self.tileset_index.tile_numbers[event.tile]
                self.oriented_tiles[pack_cell(event.x, event.y)] = 4 * number + event.rotation
            case facts.FeatureEvaluated():
                key = f"{key}.{event.kind}.{event.cause}"
                values["gain"] = self._ware_gain(event)
                values["place"] = place_phrase(translator, *_islander_cell(event, following))
            case facts.IslanderPlaced() | facts.IslanderRetrieved() | facts.IslanderReturned():
                key, placed = f"{key}.{FEATURE_KINDS[self._kind(event)]}", self._oriented_tile(event)
                values["segment"] = segment_phrase(translator, self.tileset_index, placed, event.segment)
            case facts.ShipTaken():
                key = f"{key}.{'market' if event.paid is None else 'delivery'}"
                wares = () if event.paid is None else ware_counts(translator, event.paid)
                values |= {
                    "points": self._ship_points(event),
                    "wares": translator.join_list(wares) or translator.gettext("nothing"),
                }
            case facts.ShipRevealed():
                values |= {"points": self._ship_points(event), "cost": ship_cost(translator, self._ship(event).cost)}
            case facts.TurnTimedOut(policy="pass" | "resign"):
                key = f"{key}.{event.policy}"
            case facts.MoveUndone():
                variant, cell = _undone(event)
                key, values["place"] = f"{key}{variant}", place_phrase(translator, *cell)
            case facts.GameFinished():
                won = winner_sentence(translator, [self.player_names[seat] for seat in event.winners])
                return f"{translator.text(f'{key}.{event.reason}')} {won}"
            case _:
                pass  # its fields are the values
        return translator.text(key, **values)

    def _values(self, event: facts.AnyEvent) -> dict[str, Any]:
        """Return an event's fields and its player's name; places, tiles, bots, colours and fish in words."""
        values = asdict(event)
        if "x" in values:
            values["place"] = place_phrase(self.translator, values["x"], values["y"])
        if (seat := values.get("seat")) is not None:
            values["player"] = values.get("name") or self.player_names[seat]
        if (tile := values.get("tile")) is not None:
            names = tile_names(self.translator.language, self.tileset_index)
            values["tile"] = names[self.tileset_index.tile_numbers[tile]].full
        if (bot := values.get("bot")) is not None:
            values["bot"] = bot.capitalize()
        match event:
            case facts.PlayerJoined():
                values["color"] = color_name(self.translator, event.color)
            case facts.FishCovered():
                values["fish"] = fish_count(self.translator, event.fish)
            case _:
                pass
        return values

    def _ware_gain(self, event: facts.FeatureEvaluated) -> str:
        winners = self.translator.join_list([self.player_names[seat] for seat in event.winners])
        wares = self.translator.join_list(ware_counts(self.translator, event.wares))
        if not wares:
            return self.translator.text("gain.nothing", players=winners)
        if len(event.winners) == 1:
            return self.translator.text("gain.one", player=winners, wares=wares)
        return self.translator.text("gain.each", players=winners, wares=wares)

    def _ship(self, event: facts.ShipTaken | facts.ShipRevealed) -> Ship:
        return self.tileset_index.tileset.ships[self.tileset_index.ship_numbers[event.ship]]

    def _ship_points(self, event: facts.ShipTaken | facts.ShipRevealed) -> str:
        return point_count(self.translator, self._ship(event).points)

    def _kind(self, event: facts.IslanderPlaced | facts.IslanderRetrieved | facts.IslanderReturned) -> int:
        return self.tileset_index.tiles[self._oriented_tile(event) >> 2].kinds[event.segment]

    def _oriented_tile(self, event: facts.IslanderPlaced | facts.IslanderRetrieved | facts.IslanderReturned) -> int:
        return self.oriented_tiles[pack_cell(event.x, event.y)]

    def _is_implied(self, event: facts.AnyEvent, *, is_late: bool) -> bool:
        """Return whether an islander returns as an evaluation implies, or a player resigns whose time is up."""
        if isinstance(event, facts.IslanderReturned):
            return self._kind(event) != SHIPS
        return is_late and isinstance(event, facts.PlayerResigned)


def _islander_cell(event: facts.FeatureEvaluated, following: Sequence[facts.AnyEvent]) -> tuple[int, int]:
    """Return where a feature is: the cell of the islander that returns from it next, which no other feature has."""
    place = next((later for later in following if isinstance(later, facts.IslanderReturned)), event.cells[0])
    return place.x, place.y


def _undone(event: facts.MoveUndone) -> tuple[str, tuple[int, int]]:
    """Return the variant of the sentence about an action taken back, and its cell, (0, 0) where it has none."""
    match parse_move_id(event.move):
        case PlaceTile(x, y):
            return ".tile", (x, y)
        case RetrieveIslander(x, y):
            return ".retrieved", (x, y)
        case PlaceIslander():
            return ".islander", (0, 0)
        case Deliver():
            return ".delivery", (0, 0)
        case _:
            return "", (0, 0)


def winner_sentence(translator: Translator, winners: Sequence[str]) -> str:
    """Return who won (R7.4)."""
    players = translator.join_list(winners)
    if not winners:
        return translator.text("won.nobody")
    if len(winners) == 1:
        return translator.text("won.one", player=players)
    return translator.text("won.shared", players=players)


PASSES = ("pass.islander", "pass.deliver")
"""The moves that have no event."""


class LoggedChange(msgspec.Struct, frozen=True):
    """A diff without its patch, as a story and a replay need it."""

    version: int
    at: Timestamp
    seat: int | None
    move: str | None
    by: str | None
    events: list[facts.AnyEvent]


class PatchedTurn(msgspec.Struct, frozen=True):
    """The part of GAME's `turn` that is read from a log; every patch of a started game writes the turn."""

    number: int
    decider: int
    phase: Phase
    tile: str
    placed: Cell | None


class _Operation(msgspec.Struct, frozen=True):
    path: str
    value: msgspec.Raw = msgspec.Raw(b"null")


class _Patched(msgspec.Struct, frozen=True):
    patch: list[_Operation]


def decode_turn(diff: bytes) -> list[PatchedTurn | None]:
    """Return the turn as a diff's patch writes it, None while there is none; nothing before the game starts."""
    return [_TURN.decode(operation.value) for operation in _PATCHED.decode(diff).patch if operation.path == "/turn"]


def narrate_story(narrator: EventNarrator, changes: Iterable[LoggedChange], turn: int | None) -> Iterator[StoryLine]:
    """Yield a line for each change; `turn` is the number of the turn in which the first of them happened."""
    for change in changes:
        text = _narrate_change(narrator, change)
        yield StoryLine(version=change.version, at=change.at, turn=turn, seat=change.seat, text=text)
        turn = next((event.number for event in change.events if isinstance(event, facts.TurnStarted)), turn)


def _narrate_change(narrator: EventNarrator, change: LoggedChange) -> str:
    """Return the text of a change; a pass has no event, so its sentence comes from the move, after a time-out."""
    if change.seat is None or change.move not in PASSES:
        return narrator.narrate_change(change.events)
    player = narrator.player_names[change.seat]
    passed = narrator.translator.text(change.move, player=player)
    late = sum(isinstance(event, facts.TurnTimedOut | facts.GameResumed) for event in change.events)
    before, after = narrator.narrate_change(change.events[:late]), narrator.narrate_change(change.events[late:])
    return " ".join(text for text in (before, passed, after) if text)


decode_change = msgspec.json.Decoder(LoggedChange).decode
_PATCHED = msgspec.json.Decoder(_Patched)
_TURN = msgspec.json.Decoder(PatchedTurn | None)


def board_legend(translator: Translator, *, outline_last: bool, sidebar: bool, number_moves: bool) -> tuple[str, ...]:
    """Return the legend of the characters, with the signs that these options add."""
    signs = {"last": outline_last, "turn": sidebar, "reply": number_moves}
    shown = [translator.text(f"legend.{sign}") for sign, is_shown in signs.items() if is_shown]
    return (
        translator.gettext(
            ". sea  ^ island  = bridge  # M market  b banana  s shell  f fish  F two fish  x covered fish  v boat"
        ),
        translator.gettext("R red  B blue  G green  Y yellow  K black: islanders"),
        *(("  ".join(shown),) if shown else ()),
    )


def describe_drawn_tile(translator: Translator, tileset: TileSet, turn: Turn) -> str:
    """Return the number of a turn and the name of its tile."""
    names = {tile.id: name for tile, name in zip(tileset.tiles, name_tiles(translator, tileset), strict=True)}
    return translator.gettext("Turn {number}: {tile}", number=turn.number, tile=names[turn.tile].full)


def describe_supplies(translator: Translator, bag: int, ship_pile: int) -> str:
    """Return what is left in the bag and in the pile."""
    tiles = translator.ngettext("{number} tile in the bag", "{number} tiles in the bag", bag)
    ships = translator.ngettext("{number} ship in the pile", "{number} ships in the pile", ship_pile)
    return f"{tiles}, {ships}"


def describe_ship(translator: Translator, ship: Ship) -> str:
    """Return a ship's points and cost."""
    return translator.gettext(
        "Ship: {points} for {cost}", points=point_count(translator, ship.points), cost=ship_cost(translator, ship.cost)
    )


def describe_player(translator: Translator, player: Player, score: Score | None) -> str:
    """Return a player's name, points, supply, wares and number of ships; `score` is that of a finished game."""
    if player.name is None:
        return translator.gettext("free seat")
    points = point_count(translator, player.points if score is None else score.total)
    counts = (
        points if score is None else f"{points} ({score_parts(translator, score, resigned=player.resigned)})",
        translator.ngettext("{number} islander", "{number} islanders", player.supply),
        *all_ware_counts(translator, player.wares),
        translator.ngettext("{number} ship", "{number} ships", len(player.ships)),
    )
    return translator.gettext("{player}: {holdings}", player=player.name, holdings=", ".join(counts))


def describe_winners(translator: Translator, game: GameView, winners: Sequence[int]) -> str:
    """Return who won."""
    return winner_sentence(translator, [game.players[seat].name or "" for seat in winners])


def board_label(translator: Translator, turn: Turn | None) -> str:
    """Return the label of a picture of a board, for screen readers."""
    if turn is None:
        return translator.gettext("Carcassonne board")
    return translator.gettext("Carcassonne board, turn {number}", number=turn.number)


def ship_label(translator: Translator, ship: Ship) -> str:
    """Return the label of a picture of a ship, for screen readers."""
    points, cost = point_count(translator, ship.points), ship_cost(translator, ship.cost)
    return translator.gettext("ship of {points} for {cost}", points=points, cost=cost)


def pass_label(translator: Translator) -> str:
    """Return the word for a pass."""
    return translator.gettext("pass")

"""Prints texts of every kind in every language; `texts.txt` is what they should be.

After a change that is meant: `python -m tests.i18n.texts > tests/i18n/texts.txt`.
"""

import sys
from collections.abc import Iterator
from itertools import product
from typing import Any, get_args

import msgspec

from schemas import events
from schemas.actions import Action, Deliver, FeatureValue, Pass, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
from schemas.game import Reason
from schemas.tileset import Cost, TileSet
from schemas.vocabulary import COLORS, Cell, Phase, Wares
from service.engine import Game, Player, TileSetIndex
from service.engine.islanders import place_islander
from service.engine.tileset_index import FEATURE_KINDS, pack_cell
from service.i18n import LANGUAGES, EventNarrator, Translator, describe_cell, describe_move, describe_status, tile_names
from service.i18n.moves import MoveAppraiser, describe_feature, describe_loss, describe_occupied_feature
from service.i18n.phrases import get_translator, ship_cost
from service.i18n.tile_names import segment_phrase
from tests.engine.lockstep import lagoon_index, new_game
from tests.reference.board import EDGES, Json
from tests.reference.random_play import bridge, island, market, sea, tileset

LAGOON = lagoon_index()
REASONS = get_args(Reason)[1].examples
NOTHING = Cost(bananas=0, shells=0, fish=0, any=0, same=())
COSTS = [
    msgspec.structs.replace(NOTHING, **changed)
    for changed in (
        {},
        {"bananas": 1, "shells": 2, "fish": 1},
        {"any": 6},
        {"same": (4,)},
        {"same": (3, 1)},
        {"same": (2, 2, 1)},
        {"bananas": 1, "shells": 1, "fish": 1, "same": (2, 2, 1)},
        {"bananas": 60, "shells": 60, "fish": 60, "any": 60, "same": (60, 60, 60)},
    )
]
"""R6.3, with the rulebooks' examples."""


def make_game(index: TileSetIndex = LAGOON) -> Game:
    """Return a game of Ana and Bo."""
    game = new_game(index, 2)
    game.players[0].name, game.players[1].name = "Ana", "Bo"
    return game


def with_ships(points: int, *costs: Cost) -> TileSetIndex:
    """Return the default tile set, whose ships have these points, and the first ones these costs."""
    original = LAGOON.tileset
    ships = tuple(
        msgspec.structs.replace(ship, points=points, cost=(*costs, *[ship.cost] * len(original.ships))[number])
        for number, ship in enumerate(original.ships)
    )
    return TileSetIndex(msgspec.structs.replace(original, ships=ships))


def make_tile(name: str, *segments: Json) -> Json:
    """Return a tile with these segments."""
    edges = {edge: segment["kind"] for segment in segments for edge in segment.get("edges", ())}
    return {"id": name, "count": 1, "edges": dict.fromkeys(EDGES, "sea") | edges, "segments": [*segments]}


def index_of(*tiles: Json) -> TileSetIndex:
    """Return a set of these tiles."""
    return TileSetIndex(msgspec.convert(tileset(tiles[0]["id"], tiles, []), TileSet))


def first_tile(kind: int) -> tuple[int, int]:
    """Return a tile with a segment of this kind, and the segment."""
    tile = next(tile for tile, one in enumerate(LAGOON.tiles) if kind in one.kinds)
    return tile, LAGOON.tiles[tile].kinds.index(kind)


def list_events() -> Iterator[events.AnyEvent]:
    """Yield every event in all its variants; islanders are on tiles of every kind in the cells (0, 0) to (3, 0)."""
    yield events.GameCreated()
    yield from (events.PlayerJoined(seat=1, name="Bo", color=color) for color in COLORS)
    yield events.PlayerLeft(seat=1, name="Cy")
    yield events.GameStarted(seat=0)
    yield events.TurnStarted(number=2, seat=1)
    yield events.TileDrawn(tile="atoll")
    yield events.TileDiscarded(tile="atoll")
    yield events.TilePlaced(seat=0, tile="start", x=9, y=-1, rotation=0)
    for event in (events.IslanderPlaced, events.IslanderRetrieved, events.IslanderReturned):
        yield from (event(seat=kind % 2, x=kind, y=0, segment=first_tile(kind)[1]) for kind in range(4))
    causes = (*product(("island", "bridge", "sea"), ("completed", "final")), ("sea", "boat"))
    gains = (([1], 1, 0), ([0, 1], 4, 3), ([0, 1], 0, 0))
    for (kind, cause), (winners, bananas, fish) in (*product(causes, gains[:1]), *product(causes[:1], gains[1:])):
        yield events.FeatureEvaluated(
            kind=kind,
            cause=cause,
            cells=[Cell(x=5, y=-5)],
            islanders=[],
            winners=winners,
            wares=Wares(bananas=bananas, shells=0, fish=fish),
        )
    yield events.FishCovered(x=0, y=0, segment=0, group=0, fish=1)
    yield events.ShipTaken(seat=1, ship="s01", points=6, by="delivery", paid=Wares(bananas=0, shells=0, fish=3))
    yield events.ShipTaken(seat=0, ship="s01", points=6, by="market", paid=None)
    yield events.ShipRevealed(ship="s02")
    yield from (events.TurnTimedOut(seat=1, policy=policy) for policy in ("pass", "bot", "resign"))
    yield from (events.GamePaused(), events.GameResumed())
    yield events.PlayerReplaced(seat=1, bot="greedy")
    yield events.PlayerReturned(seat=1)
    yield events.PlayerResigned(seat=1)
    yield from (
        events.MoveUndone(seat=0, move=one) for one in ("p0.-1.2", "i2", "r1.0.2", "d.s01.1.2.0", "pass.islander")
    )
    yield events.RematchCreated(game="k7m2x9qd4t1w")
    yield from (events.GameFinished(reason=reason, winners=[0]) for reason in REASONS)
    yield from (events.GameFinished(reason="last_tile", winners=winners) for winners in ([], [0, 1]))
    yield events.GameAborted()


def narrate(translator: Translator, event: events.AnyEvent) -> str:
    """Return the sentence of an event."""
    game = make_game()
    narrator = EventNarrator.of(translator, LAGOON, game)
    narrator.oriented_tiles.update({pack_cell(kind, 0): 4 * first_tile(kind)[0] for kind in range(4)})
    return narrator.narrate_event(event)


def say_move(translator: Translator, index: TileSetIndex, game: Game, action: Action) -> str:
    """Return the text of a move."""
    return describe_move(translator, index, game, action).text


def say_ship(translator: Translator, index: TileSetIndex, game: Game) -> str:
    """Return what the first ship of the display costs, and what the player lacks."""
    return MoveAppraiser.of(translator, index, game).appraise_ships()[0].text


def say_whose(translator: Translator, feature: FeatureValue, evaluated: bool, over: bool) -> str:
    """Return what a feature gives, or gave, and to whom."""
    return describe_occupied_feature(translator, ("Ana", "Bo"), feature, evaluated=evaluated, over=over)


def name_tile(translator: Translator, index: TileSetIndex, tile: int) -> str:
    """Return the name of a tile."""
    return tile_names(translator.language, index)[tile].full


def name_segments(translator: Translator, tile: int) -> str:
    """Return the segments of a placed tile of the default set."""
    kinds = LAGOON.tiles[tile >> 2].kinds
    return ", ".join(segment_phrase(translator, LAGOON, tile, segment) for segment, _ in enumerate(kinds))


Text = tuple[Any, ...]
"""A function that says something in a language, and its further arguments."""


def list_moves() -> Iterator[Text]:
    """Yield all kinds of moves."""
    action: Action
    for points, wares in ((0, Wares(bananas=1, shells=2, fish=0)), (1, None), (5, None)):
        index = with_ships(points)
        game = make_game(index)
        game.display = [0]
        yield from ((say_move, index, game, action) for action in (TakeShip("s01"), Deliver("s01", wares)))
    placed: list[Action] = [PlaceTile(3, -2, rotation) for rotation in range(4)]
    for action in [*placed, Pass("islander"), Pass("deliver")]:
        yield say_move, LAGOON, make_game(), action
    for kind in range(4):
        game, (tile, segment) = make_game(), first_tile(kind)
        game.tile, game.oriented_tiles[-1] = tile, 4 * tile
        for action in (PlaceIslander(segment), RetrieveIslander(0, 0, segment)):
            yield say_move, LAGOON, game, action
    for first, second in [*((cost, NOTHING) for cost in COSTS), *((cost, cost) for cost in COSTS[1::6])]:
        index = with_ships(5, first, second)
        game = make_game(index)
        game.display = [0, 1]
        yield say_move, index, game, TakeShip("s01")
        if first in COSTS[1::6]:
            yield say_move, index, game, Deliver("s01", Wares(bananas=0, shells=0, fish=3))
    yield from ((describe_cell, 1, -2, number) for number in (1, 2))


def list_worths() -> Iterator[Text]:
    """Yield what features are worth, open and complete, and what a player with a banana and two shells lacks."""
    for kind, missing, bananas in product(FEATURE_KINDS, (0, 1, 2), (0, 2)):
        if kind == "island" or bananas == (0 if kind == "market" else 2):
            wares = Wares(bananas=bananas, shells=0, fish=0)
            yield describe_feature, FeatureValue(kind=kind, cells=[], islanders=[], wares=wares, open=missing)
    for kind, seats, missing, evaluated, over in (
        *((kind, (), 0, True, False) for kind in FEATURE_KINDS),
        *(("island", seats, 1, False, False) for seats in ((), (0,), (0, 1), (0, 1, 1))),
        *((kind, (0,), missing, False, True) for kind in FEATURE_KINDS for missing in (1, 2)),
        ("island", (0,), 0, False, True),
    ):
        islanders = [events.IslanderCount(seat=seat, count=seats.count(seat)) for seat in dict.fromkeys(seats)]
        wares = Wares(bananas=1, shells=0, fish=0)
        value = FeatureValue(kind=kind, cells=[], islanders=islanders, wares=wares, open=missing)
        yield say_whose, value, evaluated, over
    for kind, bananas, own, other in (
        *(("island", 2, 1, 0), ("island", 0, 1, 0), ("island", 2, 2, 0), ("island", 2, 2, 2)),
        *(("island", 2, 1, 2), ("market", 0, 1, 0)),
    ):
        islanders = [events.IslanderCount(seat=seat, count=count) for seat, count in enumerate((own, other)) if count]
        wares = Wares(bananas=bananas, shells=0, fish=0)
        value = FeatureValue(kind=kind, cells=[], islanders=islanders, wares=wares, open=1)
        yield describe_loss, "Ana", 0, value
    for cost in COSTS:
        index = with_ships(5, cost)
        game = make_game(index)
        game.display = [0]
        game.players[game.seat].wares = [1, 2, 0]
        yield say_ship, index, game


def list_statuses() -> Iterator[Text]:
    """Yield a game in all situations."""
    deadlines = ("2026-11-21T21:30:00Z", "2026-11-22T09:05:00Z", "2026-12-01T09:05:00Z")
    for phase, deadline in (*((phase, None) for phase in get_args(Phase)), *(("place_tile", one) for one in deadlines)):
        game = make_game()
        game.phase, game.deadline, game.ships_owed = phase, deadline, [1] if phase == "take_ship" else []
        yield describe_status, LAGOON, game
    for german, supply in ((False, 0), (True, 0), (True, 2)):
        game = make_game()
        game.edition, game.phase = "german" if german else "international", "islander"
        place_islander(LAGOON, game, PlaceIslander(1))
        game.players[0].supply = supply
        yield describe_status, LAGOON, game
    for number in (1, 2):
        game = make_game()
        game.status = "waiting"
        game.players[1:] = [Player(name=None, color=None, kind="open")] * number
        yield describe_status, LAGOON, game
    for wares, resigned in ((0, False), (6, False), (9, True)):
        game = make_game()
        game.status, game.end_reason = "finished", "last_tile"
        game.players[0].wares, game.players[1].wares = [wares, 0, 0], [3, 3, 0]
        game.players[0].resigned = resigned
        yield describe_status, LAGOON, game
    game = make_game()
    game.paused = True
    yield describe_status, LAGOON, game
    game.status = "aborted"
    yield describe_status, LAGOON, game


def list_tiles() -> Iterator[Text]:
    """Yield the names of tiles, and in the default set the places of their segments."""
    alike = (
        make_tile("right", island("n"), bridge("e"), sea([2]), sea([3, 4, 5, 6, 7])),
        make_tile("left", island("n"), bridge("w"), sea([7]), sea([2, 3, 4, 5, 6])),
        make_tile("near", bridge("es"), sea([3, 4], [1]), sea([5, 6, 7, 0, 1, 2])),
        make_tile("far", bridge("es"), sea([3, 4]), sea([5, 6, 7, 0, 1, 2], [1])),
        make_tile("opposite", market(), bridge("n"), bridge("s"), sea([1, 2, 3, 4]), sea([5, 6, 7, 0])),
        make_tile("open", sea(range(8))),
    )
    for index in (index_of(*alike), LAGOON):
        yield from ((name_tile, index, tile) for tile, _ in enumerate(index.tiles))
    yield from ((name_segments, 4 * tile + tile % 4) for tile, _ in enumerate(LAGOON.tiles))


def list_texts() -> Iterator[Text]:
    """Yield everything that is said."""
    yield from ((narrate, event) for event in list_events())
    yield from list_moves()
    yield from list_worths()
    yield from list_statuses()
    yield from ((ship_cost, cost) for cost in COSTS)
    yield from list_tiles()


def write_texts() -> str:
    """Return all texts, each in every language."""
    translators = [get_translator(language) for language in LANGUAGES]
    return "\n".join(
        "".join(f"{say(translator, *arguments)}\n" for translator in translators) for say, *arguments in list_texts()
    )


if __name__ == "__main__":
    sys.stdout.write(write_texts())

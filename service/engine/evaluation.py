"""R5: evaluating what the placed tile completed, or put a boat into."""

from schemas.events import (
    AnyEvent,
    FeatureEvaluated,
    FishCovered,
    IslanderCount,
    IslanderReturned,
)
from schemas.vocabulary import Cell, Wares
from service.engine.game import SEAT_BITS, SEAT_MASK, Game
from service.engine.islanders import send_home
from service.engine.segments import kind_of, locate, members, order_of
from service.engine.tileset_index import BANANAS, FISH, KINDS, SHELLS, SHIPS, Tables, to_xy


def evaluate_placement(tables: Tables, game: Game, events: list[AnyEvent]) -> None:
    """Evaluate bridges, islands and seas in the order of the placed tile's segments, then send merchants home (R5.10).

    What the merchants are owed is left in `game.owed`.
    """
    tile = tables.tiles[game.tile]
    segment, feature, islanders, open_slots = game.bases[-1], game.feature, game.islanders, game.open_slots
    boat = -1 if tile.boat is None else feature[segment + tile.boat]
    for kind in tile.kinds:
        label = feature[segment]
        segment += 1
        if kind == SHIPS or not islanders[label]:
            continue
        if not open_slots[label]:
            _evaluate(tables, game, label, "completed", events, boat=label == boat)
        elif label == boat and (game.symbols[label] or game.edition == "international"):
            _evaluate(tables, game, label, "boat", events, boat=True)
    if game.markets:
        _complete_markets(game, events)


def evaluate_at_end(tables: Tables, game: Game, events: list[AnyEvent]) -> None:
    """R7.2: incomplete occupied bridges, islands and seas, as if complete; markets give nothing, nothing is covered."""
    for label in occupied(tables, game):
        _evaluate(tables, game, label, "final", events, boat=False)


def occupied(tables: Tables, game: Game) -> list[int]:
    """The labels of all occupied bridges, islands and seas, the oldest first."""
    labels = {game.feature[segment] for player in game.players for segment in player.standing}
    return sorted(label for label in labels if kind_of(tables, game, label) != SHIPS)


def counts(game: Game, label: int) -> list[int]:
    """How many islanders of each seat stand in a feature."""
    packed = game.islanders[label]
    return [packed >> SEAT_BITS * seat & SEAT_MASK for seat in range(len(game.players))]


def majority(numbers: list[int]) -> list[int]:
    """The seats with the most islanders, all tied ones (R5.5)."""
    most = max(numbers)
    return [seat for seat, number in enumerate(numbers) if number == most]


def _evaluate(tables: Tables, game: Game, label: int, cause: str, events: list[AnyEvent], *, boat: bool) -> None:
    """R5.5: wares to the majority; R5.7: a group is covered for the boat; R5.9: everybody goes home."""
    kind, amount = kind_of(tables, game, label), game.symbols[label]
    numbers = counts(game, label)
    winners = majority(numbers)
    for seat in winners:
        game.players[seat].wares[kind] += amount
    events.append(
        FeatureEvaluated(
            kind=KINDS[kind],
            cause=cause,
            cells=_cells(game, label),
            islanders=[IslanderCount(seat=seat, count=number) for seat, number in enumerate(numbers) if number],
            winners=winners,
            wares=Wares(
                bananas=amount if kind == BANANAS else 0,
                shells=amount if kind == SHELLS else 0,
                fish=amount if kind == FISH else 0,
            ),
        )
    )
    if boat and amount:
        _cover(tables, game, label, events)
    _go_home(game, label, events)


def _cells(game: Game, label: int) -> list[Cell]:
    """The cells that a feature lies on, from north-west to south-east."""
    cells = game.cells
    return [
        Cell(x=x, y=y)
        for x, y in map(to_xy, sorted({cells[order_of(game, segment)] for segment in members(game, label)}))
    ]


def _go_home(game: Game, label: int, events: list[AnyEvent]) -> None:
    """R5.9."""
    feature = game.feature
    for seat, player in enumerate(game.players):
        here = [segment for segment in player.standing if feature[segment] == label]
        for y, x, index, segment in sorted(_north_west_first(game, segment) for segment in here):
            send_home(game, seat, segment)
            events.append(IslanderReturned(seat=seat, x=x, y=y, segment=index))
    game.islanders[label] = 0


def _north_west_first(game: Game, segment: int) -> tuple[int, int, int, int]:
    x, y, index = locate(game, segment)
    return y, x, index, segment


def _cover(tables: Tables, game: Game, label: int, events: list[AnyEvent]) -> None:
    """R5.7: a group of two if there is one, else a single; of the earliest tile, lowest segment, lowest group."""
    covered = game.covered
    best: tuple[int, int, int] | None = None
    for segment in members(game, label):
        order = order_of(game, segment)
        fish = tables.tiles[game.turned[order] >> 2].fish[segment - game.bases[order]]
        for group, size in enumerate(fish):
            if (segment, group) not in covered and (best is None or (-size, segment, group) < best):
                best = (-size, segment, group)
    if best is None:
        return
    size, segment, group = -best[0], best[1], best[2]
    covered.append((segment, group))
    game.symbols[label] -= size
    x, y, index = locate(game, segment)
    events.append(FishCovered(x=x, y=y, segment=index, group=group, fish=size))


def _complete_markets(game: Game, events: list[AnyEvent]) -> None:
    """R5.4, R5.10: all merchants of the markets that this tile completed go home; their owners are owed ships."""
    open_slots = game.open_slots
    complete = [(cell, segment) for cell, segment in game.markets.items() if not open_slots[segment]]
    merchants: list[tuple[int, int, int]] = []
    for cell, segment in complete:
        del game.markets[cell]
        for seat, player in enumerate(game.players):
            if segment in player.standing:
                merchants.append(((seat - game.seat) % len(game.players), cell, segment))
    for turns_away, _, segment in sorted(merchants):
        seat = (game.seat + turns_away) % len(game.players)
        send_home(game, seat, segment)
        game.islanders[segment] = 0
        x, y, index = locate(game, segment)
        events.append(IslanderReturned(seat=seat, x=x, y=y, segment=index))
        game.owed.append(seat)

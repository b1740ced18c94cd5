"""R5: the evaluation of features that the placed tile completed, or put a boat into."""

from schemas.events import AnyEvent, FeatureEvaluated, FishCovered, IslanderCount
from schemas.vocabulary import Cell, Wares
from service.engine.game import SEAT_BITS, SEAT_MASK, Game
from service.engine.islanders import return_islanders
from service.engine.segments import feature_kind, feature_segments, locate_segment, tile_order
from service.engine.tileset_index import BANANAS, FEATURE_KINDS, FISH, SHELLS, SHIPS, TileSetIndex, unpack_cell


def evaluate_placement(index: TileSetIndex, game: Game, events: list[AnyEvent]) -> None:
    """Evaluate bridges, islands and seas in the order of the placed tile's segments, then send merchants home (R5.10).

    The seats of merchants who are owed a ship are then in `game.ships_owed`.
    """
    tile = index.tiles[game.tile]
    segment = game.first_segments[-1]
    feature_labels, islanders, open_slots = game.feature_labels, game.islanders, game.open_slots
    boat = -1 if tile.boat is None else feature_labels[segment + tile.boat]
    for kind in tile.kinds:
        label = feature_labels[segment]
        segment += 1
        if kind == SHIPS or not islanders[label]:
            continue
        if not open_slots[label]:
            _evaluate_feature(index, game, label, "completed", events, boat=label == boat)
        elif label == boat and (game.symbols[label] or game.edition == "international"):
            _evaluate_feature(index, game, label, "boat", events, boat=True)
    if game.markets:
        _complete_markets(game, events)


def evaluate_incomplete_features(index: TileSetIndex, game: Game, events: list[AnyEvent]) -> None:
    """Evaluate incomplete occupied bridges, islands and seas as if complete (R7.2); boats cover no fish."""
    for label in occupied_features(index, game):
        _evaluate_feature(index, game, label, "final", events, boat=False)


def occupied_features(index: TileSetIndex, game: Game) -> list[int]:
    """Return the labels of all occupied bridges, islands and seas, oldest first."""
    labels = {game.feature_labels[segment] for player in game.players for segment in player.islander_segments}
    return sorted(label for label in labels if feature_kind(index, game, label) != SHIPS)


def islander_counts(game: Game, label: int) -> list[int]:
    """Return the number of islanders of each seat in a feature."""
    packed = game.islanders[label]
    return [packed >> SEAT_BITS * seat & SEAT_MASK for seat in range(len(game.players))]


def majority_seats(counts: list[int]) -> list[int]:
    """Return the seats with the most islanders, including ties (R5.5)."""
    most = max(counts)
    return [seat for seat, number in enumerate(counts) if number == most]


def feature_cells(game: Game, label: int) -> list[Cell]:
    """Return the cells of a feature, from north-west to south-east."""
    cells = game.cells
    return [
        Cell(x=x, y=y)
        for x, y in map(
            unpack_cell, sorted({cells[tile_order(game, segment)] for segment in feature_segments(game, label)})
        )
    ]


def feature_wares(kind: int, amount: int) -> Wares:
    """Return the wares that a feature of this kind gives for its symbols (R5.5); a market gives none."""
    return Wares(
        bananas=amount if kind == BANANAS else 0,
        shells=amount if kind == SHELLS else 0,
        fish=amount if kind == FISH else 0,
    )


def count_by_seat(counts: list[int]) -> list[IslanderCount]:
    """Return the numbers of islanders of the seats that have any."""
    return [IslanderCount(seat=seat, count=number) for seat, number in enumerate(counts) if number]


def _evaluate_feature(
    index: TileSetIndex, game: Game, label: int, cause: str, events: list[AnyEvent], *, boat: bool
) -> None:
    """Give wares to the majority (R5.5), cover a fish group for a boat (R5.7) and return the islanders (R5.9)."""
    kind, amount = feature_kind(index, game, label), game.symbols[label]
    counts = islander_counts(game, label)
    winners = majority_seats(counts)
    for seat in winners:
        game.players[seat].wares[kind] += amount
    events.append(
        FeatureEvaluated(
            kind=FEATURE_KINDS[kind],
            cause=cause,
            cells=feature_cells(game, label),
            islanders=count_by_seat(counts),
            winners=winners,
            wares=feature_wares(kind, amount),
        )
    )
    if boat and amount:
        _cover_fish(index, game, label, events)
    for seat, player in enumerate(game.players):
        if counts[seat]:
            segments = [segment for segment in player.islander_segments if game.feature_labels[segment] == label]
            return_islanders(game, seat, segments, events)
    game.islanders[label] = 0


def _cover_fish(index: TileSetIndex, game: Game, label: int, events: list[AnyEvent]) -> None:
    """Cover a group of two fish, else a single one; the earliest tile, segment and group come first (R5.7)."""
    covered = game.covered
    best: tuple[int, int, int] | None = None
    for segment in feature_segments(game, label):
        order = tile_order(game, segment)
        fish = index.tiles[game.oriented_tiles[order] >> 2].fish[segment - game.first_segments[order]]
        for group, size in enumerate(fish):
            if (segment, group) not in covered and (best is None or (-size, segment, group) < best):
                best = (-size, segment, group)
    if best is None:
        return
    size, segment, group = -best[0], best[1], best[2]
    covered.append((segment, group))
    game.symbols[label] -= size
    x, y, tile_segment = locate_segment(game, segment)
    events.append(FishCovered(x=x, y=y, segment=tile_segment, group=group, fish=size))


def _complete_markets(game: Game, events: list[AnyEvent]) -> None:
    """Return the merchants of markets that this tile completed; their owners are owed ships (R5.4, R5.10)."""
    open_slots = game.open_slots
    complete = [(cell, segment) for cell, segment in game.markets.items() if not open_slots[segment]]
    merchants: list[tuple[int, int, int]] = []
    for cell, segment in complete:
        del game.markets[cell]
        for seat, player in enumerate(game.players):
            if segment in player.islander_segments:
                merchants.append(((seat - game.seat) % len(game.players), cell, segment))
    for turns_away, _, segment in sorted(merchants):
        seat = (game.seat + turns_away) % len(game.players)
        return_islanders(game, seat, [segment], events)
        game.islanders[segment] = 0
        game.ships_owed.append(seat)

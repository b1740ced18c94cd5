"""Tile sets: valid ones, nearly valid ones and bytes that are none, against an oracle of validity.

What is refused says where and why; what is accepted is played to its end by chance, and drawn.
"""

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from schemas.base import encode_json
from schemas.tileset import TileSet
from service.cli.tileset import check_tileset_command
from service.engine import TileSetIndex, build_view, is_finished
from service.engine.tileset_validation import TileSetInvalid, parse_tileset
from service.games.tilesets import InvalidTileSetFile, load_catalogue
from service.web.drawing.scene import BoardOptions
from service.web.images.jobs import BoardJob, ShipJob, TileJob, draw_job
from tests.engine.random_games import new_game, play_randomly
from tests.fuzz.figures import Effort, Figures, run_property
from tests.fuzz.validity import first_reason
from tests.reference.random_tilesets import random_tileset
from tests.web.drawing.example_tiles import parse_svg

MAX_ACTIONS = 400

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, 2, 3, 7, 8, 20, 21, 99, 100, 500, 501, -1, 2**31 - 1, 2**31, 2**63, 2**64, 2**80, 0.5),
    *("", "n", "e", "s", "w", "sea", "bridge", "island", "market", "t0", "t1", "s00", "X", "a" * 33, "a\n", "\u0000"),
    "é",
    *([], {}, [0], ["n"], ["n", "s"], ["n", "n"], [0, 1, 2, 3, 4, 5, 6, 7], [1, 1, 1, 1], {"kind": "market"}, [[]]),
    {"kind": "island", "edges": [], "bananas": 1},
    {"kind": "sea", "halves": [], "fish": [1], "boat": True},
    {"kind": "bridge", "edges": [], "shells": 0},
)

JSONLocation = tuple[Any, ...]


def json_locations(value: Any, at: JSONLocation = ()) -> list[JSONLocation]:
    """Every place in a document, by the names and numbers that lead there."""
    match value:
        case dict():
            return [at, *(place for name, inner in value.items() for place in json_locations(inner, (*at, name)))]
        case list():
            return [at, *(place for index, inner in enumerate(value) for place in json_locations(inner, (*at, index)))]
        case _:
            return [at]


def change_at(document: Any, place: JSONLocation, how: str, value: Any) -> Any:
    """Return a copy in which one location is set, removed, doubled, moved to the front, or given an unknown member."""
    copy = json.loads(json.dumps(document))
    if not place:
        return value if how == "set" else copy
    holder = copy
    for step in place[:-1]:
        holder = holder[step]
    last = place[-1]
    match how:
        case "set":
            holder[last] = value
        case "remove":
            del holder[last]
        case "double" if isinstance(holder, list):
            holder.append(holder[last])
        case "turn" if isinstance(holder, list):
            holder.insert(0, holder.pop(last))
        case "more" if isinstance(holder, dict):
            holder["more"] = value
        case _:
            pass
    return copy


@st.composite
def documents(draw: st.DrawFn) -> Any:
    """Draw a valid tile set with up to three changes."""
    document: Any = random_tileset(draw(st.integers(0, 5000)), types=draw(st.integers(1, 6)), copies=2)
    for _ in range(draw(st.integers(0, 3))):
        result = json_locations(document)
        place = result[draw(st.integers(0, 5000)) % len(result)]
        how = draw(st.sampled_from(("set", "set", "set", "remove", "double", "turn", "more")))
        document = change_at(document, place, how, draw(st.sampled_from(VALUES)))
    return document


def fuzz(directory: Path, effort: Effort, figures: Figures) -> None:
    """All of it; `directory` takes files."""
    for check in (_check_changed_sets(directory, figures), _check_changed_bytes(directory, figures)):
        run_property(check, effort)


def _check_changed_sets(directory: Path, figures: Figures) -> Callable[[], None]:
    @given(documents(), st.integers(0, 1000))
    def check(document: Any, chance: int) -> None:
        figures["tilesets examples"] += 1
        why = first_reason(document)
        tileset = load_and_compare(json.dumps(document).encode(), directory)
        assert (tileset is None) == (why is not None), (why, document)
        if tileset is not None:
            figures["tilesets played"] += 1
            play_and_draw(tileset, Random(chance))

    return check


def _check_changed_bytes(directory: Path, figures: Figures) -> Callable[[], None]:
    @given(st.integers(0, 200), st.integers(0, 100_000), st.binary(max_size=8), st.integers(0, 4))
    def check(number: int, place: int, new: bytes, cut: int) -> None:
        figures["tilesets examples"] += 1
        data = json.dumps(random_tileset(number, types=2)).encode()
        at = place % len(data)
        load_and_compare(data[:at] + new + data[at + cut :], directory)

    return check


def load_and_compare(data: bytes, directory: Path) -> TileSet | None:
    """Load a file by the loader and the command, check that both agree, and return the set, or None if rejected."""
    file = directory / "set.json"
    file.write_bytes(data)
    output = CliRunner().invoke(check_tileset_command, [str(file)])
    assert output.exception is None or isinstance(output.exception, SystemExit), output.exception
    try:
        tileset = parse_tileset(data)
    except TileSetInvalid as invalid:
        assert output.exit_code == 1, output.output
        lines = [line for line in output.stderr.split(f"{file}: ") if line]
        assert len(lines) == len(invalid.faults) > 0, output.stderr
        for one in invalid.faults:
            assert one.reason, invalid.faults
            assert is_path_in(data, one.path), one
        try:
            load_catalogue(directory)
        except InvalidTileSetFile as bad:
            assert str(file) in str(bad)
            return None
        raise
    assert output.exit_code == 0, output.output
    return tileset


def is_path_in(data: bytes, path: str) -> bool:
    """Whether a fault's path leads to something in the file, or to a member that is missing there.

    Where a member is there twice, its path may lead to either; what stands before what is no JSON is judged first.
    """
    twice: list[str] = []

    def once(members: list[tuple[str, Any]]) -> dict[str, Any]:
        twice.extend(name for name, times in Counter(name for name, _ in members).items() if times > 1)
        return dict(members)

    try:
        value = json.loads(data, object_pairs_hook=once)
    except ValueError:
        return True
    if twice:
        return True
    steps = [] if path == "$" else re.findall(r"[^.\[\]]+", path)
    for number, step in enumerate(steps):
        match value:
            case dict() if step in value:
                value = value[step]
            case list() if step.isdecimal() and int(step) < len(value):
                value = value[int(step)]
            case _:
                return number == len(steps) - 1
    return True


def play_and_draw(tileset: TileSet, chance: Random) -> None:
    """Play a random game, and draw the result."""
    index = TileSetIndex(tileset)
    game = new_game(index, chance.randrange(1000), players=chance.randint(2, 5))
    for number, _ in enumerate(play_randomly(index, game, chance)):
        if number >= MAX_ACTIONS:
            break
    else:
        assert is_finished(game)
    answer, displayed = encode_json(tileset), build_view(index, game)
    board = BoardJob(tileset=answer, game=displayed, moves=[], options=BoardOptions(), image_format="svg")
    parse_svg(draw_job(board).decode())
    assert draw_job(BoardJob(tileset=answer, game=displayed, moves=[], options=BoardOptions(), image_format="txt"))
    tile, ship = chance.choice(tileset.tiles), chance.choice(tileset.ships)
    parse_svg(
        draw_job(TileJob(tile=tile, rotation=chance.randrange(4), theme="light", width=80, image_format="svg")).decode()
    )
    parse_svg(draw_job(ShipJob(ship=ship, theme="dark", width=80, image_format="svg")).decode())

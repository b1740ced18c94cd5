"""Fuzzes tile sets, valid and invalid, and compares the service's validation with an oracle.

A rejected set must have a path and a reason; an accepted one is played at random, and drawn.
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
from service.drawing.palette import THEMES
from service.drawing.scene import BoardOptions
from service.drawing.ships import ship_svg
from service.drawing.tile import tile_svg
from service.engine import TileSetIndex, build_view, is_finished
from service.engine.tileset_validation import TileSetInvalid, parse_tileset
from service.games.tilesets import InvalidTileSetFile, load_catalogue
from service.web.renderer import board_job, draw_job
from tests.drawing.example_tiles import parse_svg
from tests.engine.lockstep import new_game, play_randomly
from tests.reference.random_play import random_tileset
from verification.fuzz.harness import Budget, Counts, run_property
from verification.fuzz.tileset_oracle import first_reason

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

JSONPath = tuple[Any, ...]


def json_paths(value: Any, prefix: JSONPath = ()) -> list[JSONPath]:
    """Return the paths of all values in a document."""
    match value:
        case dict():
            return [prefix, *(path for name, inner in value.items() for path in json_paths(inner, (*prefix, name)))]
        case list():
            return [prefix, *(path for index, item in enumerate(value) for path in json_paths(item, (*prefix, index)))]
        case _:
            return [prefix]


def change_at(document: Any, path: JSONPath, change: str, value: Any) -> Any:
    """Return a copy in which a value is set, removed, duplicated or moved, or its parent has a new member."""
    copy = json.loads(json.dumps(document))
    if not path:
        return value if change == "set" else copy
    parent = copy
    for step in path[:-1]:
        parent = parent[step]
    last = path[-1]
    match change:
        case "set":
            parent[last] = value
        case "remove":
            del parent[last]
        case "duplicate" if isinstance(parent, list):
            parent.append(parent[last])
        case "rotate" if isinstance(parent, list):
            parent.insert(0, parent.pop(last))
        case "add" if isinstance(parent, dict):
            parent["added"] = value
        case _:
            pass
    return copy


@st.composite
def documents(draw: st.DrawFn) -> Any:
    """Draw a valid tile set with up to three changes."""
    document: Any = random_tileset(draw(st.integers(0, 5000)), types=draw(st.integers(1, 6)), copies=2)
    for _ in range(draw(st.integers(0, 3))):
        paths = json_paths(document)
        path = paths[draw(st.integers(0, 5000)) % len(paths)]
        change = draw(st.sampled_from(("set", "set", "set", "remove", "duplicate", "rotate", "add")))
        document = change_at(document, path, change, draw(st.sampled_from(VALUES)))
    return document


def fuzz(directory: Path, budget: Budget, counts: Counts) -> None:
    """Run both properties; files are written to `directory`."""
    for check in (_check_changed_sets(directory, counts), _check_changed_bytes(directory, counts)):
        run_property(check, budget)


def _check_changed_sets(directory: Path, counts: Counts) -> Callable[[], None]:
    @given(documents(), st.integers(0, 1000))
    def check(document: Any, seed: int) -> None:
        counts["tilesets examples"] += 1
        reason = first_reason(document)
        tileset = load_and_compare(json.dumps(document).encode(), directory)
        assert (tileset is None) == (reason is not None), (reason, document)
        if tileset is not None:
            counts["tilesets played"] += 1
            play_and_draw(tileset, Random(seed))

    return check


def _check_changed_bytes(directory: Path, counts: Counts) -> Callable[[], None]:
    @given(st.integers(0, 200), st.integers(0, 100_000), st.binary(max_size=8), st.integers(0, 4))
    def check(seed: int, position: int, new: bytes, cut: int) -> None:
        counts["tilesets examples"] += 1
        data = json.dumps(random_tileset(seed, types=2)).encode()
        start = position % len(data)
        load_and_compare(data[:start] + new + data[start + cut :], directory)

    return check


def load_and_compare(data: bytes, directory: Path) -> TileSet | None:
    """Load a file by the loader and the command, check that both agree, and return the set; None if it is invalid."""
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
        for fault in invalid.faults:
            assert fault.reason, invalid.faults
            assert is_path_in(data, fault.path), fault
        try:
            load_catalogue(directory)
        except InvalidTileSetFile as error:
            assert str(file) in str(error)
            return None
        raise
    assert output.exit_code == 0, output.output
    return tileset


def is_path_in(data: bytes, path: str) -> bool:
    """Return whether a fault's path leads to a value of the file, or to a missing member.

    True for any path if the file is no JSON, or has two members of the same name, of which the path may mean either.
    """
    duplicates: list[str] = []

    def collect_duplicates(members: list[tuple[str, Any]]) -> dict[str, Any]:
        duplicates.extend(name for name, count in Counter(name for name, _ in members).items() if count > 1)
        return dict(members)

    try:
        value = json.loads(data, object_pairs_hook=collect_duplicates)
    except ValueError:
        return True
    if duplicates:
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


def play_and_draw(tileset: TileSet, rng: Random) -> None:
    """Play a random game, and draw the result."""
    index = TileSetIndex(tileset)
    game = new_game(index, rng.randrange(1000), players=rng.randint(2, 5))
    for number, _ in enumerate(play_randomly(index, game, rng)):
        if number >= MAX_ACTIONS:
            break
    else:
        assert is_finished(game)
    encoded, view = encode_json(tileset), build_view(index, game)
    board = board_job(tileset=encoded, game=view, moves=[], options=BoardOptions(), image_format="svg")
    parse_svg(draw_job(board).decode())
    assert draw_job(board_job(tileset=encoded, game=view, moves=[], options=BoardOptions(), image_format="txt"))
    tile, ship = rng.choice(tileset.tiles), rng.choice(tileset.ships)
    parse_svg(tile_svg(tile, rng.randrange(4)))
    parse_svg(ship_svg(ship, THEMES["dark"]))

"""`south-seas tileset preview`: the page of a tile set's file, as it is written."""

import asyncio
import json
import re
import sys
from html import unescape
from pathlib import Path

from click.testing import CliRunner

from service.cli.tileset import preview_page
from service.games.tilesets import BUILT_IN_DIRECTORY
from service.main import cli
from tests.polling import wait_until
from tests.reference.pieces import Json

LAGOON: Json = json.loads((BUILT_IN_DIRECTORY / "lagoon.json").read_bytes())


def draw(tileset: Json) -> str:
    return preview_page(json.dumps(tileset).encode(), "mine.json", reloads=False)


def figures(page: str) -> list[str]:
    return re.findall(r"<figure>(.*?)</figure>", page, re.DOTALL)


def text(html: str) -> str:
    """Return the words that a reader sees."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def change_tile(number: int, **members: object) -> Json:
    tiles = [{**tile, **members} if index == number else tile for index, tile in enumerate(LAGOON["tiles"])]
    return {**LAGOON, "tiles": tiles}


def test_each_tile_and_ship_is_drawn_with_its_position_and_number() -> None:
    page = draw(LAGOON)
    shown = figures(page)
    assert len(shown) == len(LAGOON["tiles"]) + len(LAGOON["ships"])
    assert all("<svg" in figure for figure in shown)
    assert text(shown[0]) == "tiles[0] start \N{MULTIPLICATION SIGN} 2"
    assert text(shown[-1]) == "ships[23] s24"
    assert "73 tiles" in text(page)
    assert "; the printed game has" not in text(page)


def test_it_says_what_the_set_lacks_of_the_printed_game() -> None:
    assert "ships: 23; the printed game has 24 (R1.3)" in text(draw({**LAGOON, "ships": LAGOON["ships"][1:]}))


def test_a_tile_with_faults_has_them_instead_of_its_picture() -> None:
    faulty = change_tile(1, edges={"n": "island", "e": "sea", "s": "bridge", "w": "sea"}, count=9)
    shown = figures(draw(faulty))
    assert "<svg" not in shown[1]
    assert "edges.s: the edge s shows bridge, but no bridge segment lists it" in text(shown[1])
    assert all("<svg" in figure for figure in shown[2:])


def test_one_malformed_tile_hides_neither_the_others_nor_their_faults() -> None:
    faulty = change_tile(1, count="two")
    faulty["tiles"][30] = {**faulty["tiles"][30], "segments": []}
    shown = figures(draw(faulty))
    assert text(shown[1]) == "tiles[1] count: Expected int, got str"
    assert "is in no sea segment" in text(shown[30])
    assert sum("<svg" in figure for figure in shown) == len(shown) - 2


def test_faults_of_the_whole_set_are_above_the_pictures() -> None:
    page = draw({**LAGOON, "start": "<nowhere>", "id": "mine"})
    assert "start: Expected str matching regex" in text(page)
    assert all("<svg" in figure for figure in figures(page))
    assert "start: no tile has the id nowhere" in text(draw({**LAGOON, "start": "nowhere"}))


def test_a_file_that_is_no_json_is_told_with_the_line() -> None:
    page = preview_page(b'{\n  "tiles": [\n  ],\n}', "<mine>.json", reloads=False)
    assert "this is not JSON in UTF-8: JSON is malformed: trailing comma in object, in line 4" in text(page)
    assert "<mine>" not in page
    assert figures(page) == []


def test_the_page_is_written_beside_the_file_or_elsewhere(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(LAGOON))
    assert CliRunner().invoke(cli, ["tileset", "preview", str(file)]).output == f"{tmp_path / 'mine.html'}\n"
    page = (tmp_path / "mine.html").read_text()
    assert 'http-equiv="refresh"' not in page
    CliRunner().invoke(cli, ["tileset", "preview", str(file), "--output", str(tmp_path / "other")])
    assert (tmp_path / "other").read_text() == page


def test_the_page_never_replaces_the_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.html"
    file.write_text("{}")
    assert CliRunner().invoke(cli, ["tileset", "preview", str(file)]).exit_code == 2
    assert file.read_text() == "{}"


async def test_with_watch_the_page_follows_the_file(tmp_path: Path) -> None:
    file, page = tmp_path / "mine.json", tmp_path / "mine.html"
    file.write_text(json.dumps(LAGOON))
    command = (sys.executable, "-m", "service.main", "tileset", "preview", str(file), "--watch")
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.DEVNULL)
    try:
        await wait_until(page.exists)
        assert 'http-equiv="refresh"' in page.read_text()
        file.unlink()
        file.write_text(json.dumps({**LAGOON, "ships": []}))
        await wait_until(lambda: "a set has at least one ship" in page.read_text())
        assert process.returncode is None
    finally:
        process.terminate()
        await process.wait()

"""Pictures are cached and drawn once; `candidates=1` numbers the legal moves in the order of their list."""

import asyncio
import gzip
import re
import shutil
from collections import defaultdict
from collections.abc import AsyncIterator
from multiprocessing import active_children
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import AsyncMock

import msgspec
import pytest
from aiohttp import ClientSession

from service import drawing, i18n
from service.drawing.palette import THEMES
from service.drawing.scene import format_numbers
from service.engine import TileSetIndex
from service.fair_queue import ANONYMOUS
from service.files import write_atomically
from service.games.tilesets import LoadedTileSet, tileset_hash
from service.web import images
from service.web.images import TILESET_PICTURES, TileSetPictures, picture_name
from service.web.problems import RenderingFailed
from service.web.renderer import IMAGE_RENDERER
from service.web.responses import Asset
from tests.drawing.example_tiles import SVG, parse_svg
from tests.polling import run_ready_tasks, wait_until
from tests.web.app_server import TILESETS, Client
from tests.web.http_game import HTTPGame, check_problem, create_game
from tests.web.images.image_inspection import BoardSVG, failing_draw, play_until_phase, read_board_svg
from tools.site.__main__ import draw_tilesets

FORMS = ("svg", "png", "txt")
FOR_EVER = "public, max-age=31536000, immutable"


PICTURES = {
    "board.": ("svg", "png", "txt", "svg?width=99", "svg?last=0", "svg?side=1", "svg?region=0,0,1,1", "svg?theme=dark"),
    "tiles/start.": ("svg", "png", "png?width=99", "svg?theme=dark", "svg?rotation=1"),
    "ships/s01.": ("svg", "png", "png?width=99", "svg?theme=dark"),
}


@pytest.mark.parametrize("name", PICTURES)
async def test_etags_depend_on_options_and_format(client: Client, name: str) -> None:
    folder = (await create_game(client)).path if name == "board." else "/v1/tilesets/lagoon"
    tags = [(await client.get(f"{folder}/{name}{one}")).headers["ETag"] for one in PICTURES[name]]
    assert len({*tags}) == len(tags)
    assert all(tag.startswith('"1-') for tag in tags if name == "board.")


def test_etags_depend_on_every_file_that_pictures_are_made_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code, symbols, glyphs, colours and words; of the texts, what translators edit is compiled first."""
    for package in (drawing, i18n):
        (folder,) = package.__path__
        shutil.copytree(folder, tmp_path / package.__name__, ignore=shutil.ignore_patterns("__pycache__", "*.po"))
    monkeypatch.setattr("importlib.resources.files", lambda package: tmp_path / package)
    compute = images.drawing_code_digest.__wrapped__
    digests = {compute()}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    for path in files:
        path.write_bytes(path.read_bytes() + b" ")
        digests.add(compute())
    assert len(digests) == 1 + len(files)
    assert {path.suffix for path in files} == {".py", ".svg", ".json", ".mo"}


@pytest.mark.parametrize("form", FORMS)
async def test_the_picture_of_a_version_is_immutable(client: Client, form: str) -> None:
    game = await create_game(client, seed="kept")
    await game.play_randomly(Random(4), 6)
    path = f"/board.{form}?v=6&side=1&last=1&coordinates=1"
    now = await game.get(path)
    assert now.headers["Cache-Control"] == FOR_EVER
    await game.play_randomly(Random(5), 10)
    then = await game.get(path)
    assert (then.headers["Cache-Control"], then.headers["ETag"]) == (FOR_EVER, now.headers["ETag"])
    assert await then.read() == await now.read()
    same = await game.get(path, **{"If-None-Match": now.headers["ETag"]})
    assert (same.status, same.headers["Cache-Control"]) == (304, FOR_EVER)


async def test_numbered_moves_of_an_earlier_version_are_not_immutable(client: Client) -> None:
    game = await create_game(client, seed="kept")
    now = await game.get("/board.svg?v=1&candidates=1")
    assert now.headers["Cache-Control"] == FOR_EVER
    await game.act_successfully()
    then = await game.get("/board.svg?v=1&candidates=1")
    assert then.headers["Cache-Control"] == "no-cache"
    assert then.headers["ETag"] != now.headers["ETag"]
    assert "data-moves" not in await then.text()


@pytest.mark.parametrize("version", (0, 2, 2**31 - 1))
async def test_a_future_version_is_not_found(client: Client, version: int) -> None:
    game = await create_game(client)
    await check_problem(await game.get(f"/board.svg?v={version}"), 404, "not_found")


async def test_a_region_has_at_most_sixty_cells_along_a_side(client: Client) -> None:
    game = await create_game(client)
    async with client.get(f"{game.path}/board.svg?region=0,0,99,-99") as response:
        assert 'viewBox="-14.0 -9914.0 6028.0 6028.0"' in await response.text()


PATH = "/v1/tilesets/lagoon/tiles.svg"
LAGOON = TILESETS.get("lagoon")


def rename(name: str, tiles: int) -> LoadedTileSet:
    """Return a set with another name and the first tiles of the lagoon."""
    tileset = msgspec.structs.replace(LAGOON.tileset, id=name, tiles=LAGOON.tileset.tiles[:tiles])
    return LoadedTileSet(tileset, TileSetIndex(tileset), b"", tileset_hash(tileset))


SMALL, OTHER = rename("small", 3), rename("other", 3)


@pytest.fixture
async def pictures() -> AsyncIterator[TileSetPictures]:
    created = TileSetPictures()
    yield created
    await created.aclose()


async def test_a_picture_is_drawn_once_for_all(pictures: TileSetPictures, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = failing_draw()
    monkeypatch.setattr(pictures.worker, "draw", draw)
    drawn = await asyncio.gather(*(pictures.get(SMALL, "light") for _ in range(8)))
    assert draw.await_count == len(SMALL.tileset.tiles)
    assert await pictures.get(SMALL, "light") is drawn[0]
    await pictures.get(SMALL, "dark")
    assert draw.await_count == 2 * len(SMALL.tileset.tiles)


async def test_what_a_build_or_an_earlier_process_drew_is_not_drawn_again(
    pictures: TileSetPictures, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tools.site.__main__.load_catalogue", lambda _: [SMALL])
    draw_tilesets(tmp_path / "built")
    kept = tmp_path / "kept"
    first, second = (TileSetPictures(tmp_path / "built", kept) for _ in range(2))
    monkeypatch.setattr(second.worker, "draw", failing_draw(RenderingFailed("it is there")))
    drawn = {theme: (await pictures.get(SMALL, theme)).body for theme in THEMES}
    assert {theme: (await first.get(SMALL, theme)).body for theme in THEMES} == drawn
    assert not kept.exists()
    write_atomically(kept / "other-light-of-an-earlier-release.svg", b"")
    for started in (first, second):
        assert (await started.get(OTHER, "light")).body == (await pictures.get(OTHER, "light")).body
    assert [path.name for path in kept.iterdir()] == [picture_name(OTHER, "light")]
    await first.aclose()


async def test_a_picture_that_cannot_be_kept_is_shown(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").touch()
    started = TileSetPictures(kept=tmp_path / "file" / "pictures")
    assert (await started.get(SMALL, "light")).body
    assert "is not kept" in caplog.text
    await started.aclose()


async def test_whoever_leaves_stops_no_drawing(pictures: TileSetPictures) -> None:
    first = asyncio.create_task(pictures.get(SMALL, "light"))
    await wait_until(lambda: bool(pictures.worker.queue.slots_in_use))
    first.cancel()
    assert isinstance(await pictures.get(SMALL, "light"), Asset)


async def test_sets_take_turns(pictures: TileSetPictures) -> None:
    """A small one does not wait for all tiles of a large one."""
    large = rename("large", 40)
    waiting = asyncio.create_task(pictures.get(large, "light"))
    await wait_until(lambda: bool(pictures.worker.queue.slots_in_use))
    await pictures.get(SMALL, "light")
    assert not waiting.done()
    await waiting


async def test_its_process_ends_with_the_last_picture(pictures: TileSetPictures) -> None:
    before = {*active_children()}
    drawing = [asyncio.create_task(pictures.get(loaded, "light")) for loaded in (SMALL, OTHER)]
    await wait_until(lambda: len({*active_children()} - before) == 1)
    await asyncio.gather(*drawing)
    assert {*active_children()} == before


async def test_closing_waits_for_one_tile_at_most(pictures: TileSetPictures) -> None:
    drawing = asyncio.create_task(pictures.get(LAGOON, "light"))
    await wait_until(lambda: bool(pictures.worker.queue.slots_in_use))
    await pictures.aclose()
    with pytest.raises(asyncio.CancelledError):
        await drawing
    assert not pictures.worker.processes.running_processes


async def test_a_picture_that_cannot_be_drawn_is_tried_again_later(
    pictures: TileSetPictures, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    draw = failing_draw(*[RenderingFailed("no memory")] * 2)
    monkeypatch.setattr(pictures.worker, "draw", draw)
    for _ in range(2):
        with pytest.raises(RenderingFailed):
            await pictures.get(SMALL, "light")
    assert draw.await_count == 1
    assert "the tile set small could not be drawn: no memory" in caplog.text
    monkeypatch.setattr("service.web.renderer.FAILURE_TTL_S", 0)
    with pytest.raises(RenderingFailed):
        await pictures.get(OTHER, "light")
    await run_ready_tasks()
    assert isinstance(await pictures.get(OTHER, "light"), Asset)


@pytest.mark.parametrize("path", ("/v1/games/{}/board.png", "/v1/tilesets/lagoon/tiles/start.svg"))
async def test_what_cannot_be_drawn_is_a_problem_of_the_instance_not_of_the_store(
    client: Client, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    game = await create_game(client)
    monkeypatch.setattr("service.web.renderer.Worker.draw", AsyncMock(side_effect=RenderingFailed("no memory")))
    problem = await check_problem(await client.get(path.format(game.id)), 503, "instance_unavailable")
    assert (problem["title"], problem["retry_after_s"]) == ("The instance cannot serve this now", 60)


async def test_small_boards_large_ones_and_it_are_drawn_beside_each_other(client: Client) -> None:
    game = await create_game(client)
    workers = *client.app[IMAGE_RENDERER].workers.values(), client.app[TILESET_PICTURES].worker
    client.app[TILESET_PICTURES].folders.clear()
    occupied = [(worker.queue, await worker.queue.acquire(ANONYMOUS)) for worker in workers]
    paths = f"{game.path}/board.png?width=400", f"{game.path}/board.png?width=2000", PATH
    pictures = [asyncio.create_task(client.get(path)) for path in paths]
    await wait_until(lambda: all(queue.queue_length(attended=True) for queue, _ in occupied))
    for number, (queue, started_at) in enumerate(occupied):
        queue.release(ANONYMOUS, started_at)
        assert (await pictures[number]).status == 200
        assert [picture.done() for picture in pictures] == [one <= number for one in range(3)]


async def test_it_is_compressed_and_validated_as_a_file_is(client: Client) -> None:
    async with ClientSession(client.make_url("/"), auto_decompress=False) as session:
        plain = await session.get(PATH, headers={"Accept-Encoding": "identity"})
        body = await plain.read()
        assert len(parse_svg(body.decode()).findall(f"{SVG}symbol")) == 4 * len(LAGOON.tileset.tiles)
        packed = await session.get(PATH, headers={"Accept-Encoding": "gzip"})
        assert gzip.decompress(await packed.read()) == body
        for response in (plain, packed):
            assert response.content_type == "image/svg+xml"
            assert response.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
            assert response.headers["Vary"] == "Accept-Encoding"
        assert (await session.get(f"{PATH}?theme=dark", headers={"If-None-Match": plain.headers["ETag"]})).status == 200


Subject = tuple[str | None, str | None, str | None]
"""A cell, a segment, a ship; all None for passing."""


def read_labels(seen: BoardSVG) -> dict[Subject, str]:
    """Return the text of each label of a picture, by subject."""
    return {
        (group.get("data-cell"), group.get("data-segment"), group.get("data-ship")): group.get("data-moves", "")
        for group in seen.root.iter(f"{SVG}g")
        if group.get("data-moves") is not None
    }


async def read_numbers(http_game: HTTPGame) -> dict[Subject, str]:
    """Return the numbers of the legal moves, by subject."""
    game = await http_game.get_json()
    numbers: defaultdict[Subject, list[int]] = defaultdict(list)
    legal = await http_game.get_json("/legal-moves")
    for number, move in enumerate(legal["moves"], start=1):
        if move["id"] in legal["repeated"]:
            continue
        numbers[subject_of(game, move["action"])].append(number)
    return {subject: format_numbers(text_or_numbers) for subject, text_or_numbers in numbers.items()}


def subject_of(game: dict[str, Any], action: dict[str, Any]) -> Subject:
    """Return the subject of an action."""
    match action["type"]:
        case "place_tile":
            return f"{action['x']},{action['y']}", None, None
        case "place_islander":
            placed = game["turn"]["placed"]
            return f"{placed['x']},{placed['y']}", str(action["segment"]), None
        case "retrieve_islander":
            return f"{action['x']},{action['y']}", str(action["segment"]), None
        case "deliver" | "take_ship":
            return None, None, action["ship"]
        case _:
            return None, None, None


@pytest.mark.parametrize(("phase", "tiles"), (("place_tile", (2, 18)), ("islander", (2, 18)), ("deliver", (8,))))
async def test_labels_have_the_numbers_of_the_list(client: Client, phase: str, tiles: tuple[int, ...]) -> None:
    game = await create_game(client, seed="numbers", edition="german")
    chance = Random(3)
    for number in tiles:
        await play_until_phase(game, phase, chance, after=number)
        assert read_labels(await read_board_svg(game, "candidates=1&side=1")) == await read_numbers(game)
        await game.act_successfully({"move": chance.choice(await game.legal_moves())["id"]})


async def test_the_text_has_the_numbers_too(client: Client) -> None:
    game = await create_game(client, seed="numbers")
    chance = Random(3)
    await play_until_phase(game, "place_tile", chance, after=8)
    text = await (await game.get("/board.txt?candidates=1")).text()
    displayed = {
        number for text_or_numbers in re.findall(r"\[([\d,-]+)\]", text) for number in numbers_in(text_or_numbers)
    }
    assert displayed == {*range(1, len(await game.legal_moves()) + 1)}


def numbers_in(label: str) -> set[int]:
    """Return the numbers of a label."""
    numbers: set[int] = set()
    for run in label.split(","):
        first, _, last = run.partition("-")
        numbers |= {*range(int(first), int(last or first) + 1)}
    return numbers


async def test_no_labels_without_the_option_or_after_the_game(client: Client) -> None:
    game = await create_game(client, seed="numbers")
    assert not read_labels(await read_board_svg(game, "side=1"))
    assert (await game.delete()).status == 200
    assert not read_labels(await read_board_svg(game, "candidates=1&side=1"))

"""The picture of a whole tile set is drawn once, beside all others, and then kept as a file is."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Callable
from multiprocessing import active_children

import msgspec
import pytest
from aiohttp import ClientSession

from service.engine import TileSetIndex
from service.fair_queue import ANONYMOUS, Requester
from service.games.tilesets import LoadedTileSet, tileset_hash
from service.web import images as module
from service.web.images import TILESET_PICTURES, TileSetPictures
from service.web.problems import RenderingFailed
from service.web.renderer import IMAGE_RENDERER, DrawingJob, RotationsJob
from service.web.responses import Asset
from tests.drawing.example_tiles import SVG, parse_svg
from tests.polling import run_ready_tasks, wait_until
from tests.web.app_server import TILESETS, Client
from tests.web.http_game import create_game

PATH = "/v1/tilesets/lagoon/tiles.svg"
LAGOON = TILESETS.get("lagoon")


def rename(name: str, tiles: int) -> LoadedTileSet:
    """Return a set with another name and the first tiles of the lagoon."""
    tileset = msgspec.structs.replace(LAGOON.tileset, id=name, tiles=LAGOON.tileset.tiles[:tiles])
    return LoadedTileSet(tileset, TileSetIndex(tileset), b"", tileset_hash(tileset))


SMALL, OTHER = rename("small", 3), rename("other", 3)


class RecordedDraw:
    """Draws nothing, and records what it should draw; the first drawings fail."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = [*failures]
        self.tiles: list[str] = []

    async def __call__(self, job: DrawingJob, requester: Requester, report: Callable[[float], None]) -> bytes:
        """Draw."""
        del requester, report
        assert isinstance(job, RotationsJob)
        self.tiles.append(job.tile.id)
        await asyncio.sleep(0)
        if self.failures:
            raise self.failures.pop(0)
        return b""


@pytest.fixture
async def pictures() -> AsyncIterator[TileSetPictures]:
    created = TileSetPictures()
    yield created
    await created.aclose()


async def test_a_picture_is_drawn_once_for_all_who_ask(
    pictures: TileSetPictures, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = RecordedDraw()
    monkeypatch.setattr(pictures.worker, "draw", draw)
    drawn = await asyncio.gather(*(pictures.get(SMALL, "light") for _ in range(8)))
    assert len(draw.tiles) == len(SMALL.tileset.tiles)
    assert await pictures.get(SMALL, "light") is drawn[0]
    await pictures.get(SMALL, "dark")
    assert len(draw.tiles) == 2 * len(SMALL.tileset.tiles)


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
    draw = RecordedDraw(*[RenderingFailed("no memory")] * 2)
    monkeypatch.setattr(pictures.worker, "draw", draw)
    for _ in range(2):
        with pytest.raises(RenderingFailed):
            await pictures.get(SMALL, "light")
    assert len(draw.tiles) == 1
    assert "the tile set small could not be drawn: no memory" in caplog.text
    monkeypatch.setattr(module, "FAILURE_TTL_S", 0)
    with pytest.raises(RenderingFailed):
        await pictures.get(OTHER, "light")
    await run_ready_tasks()
    assert isinstance(await pictures.get(OTHER, "light"), Asset)


async def test_boards_are_drawn_beside_it_and_it_beside_boards(client: Client) -> None:
    game = await create_game(client)
    queues = [worker.queue for worker in client.app[IMAGE_RENDERER]._workers.values()]
    own = client.app[TILESET_PICTURES].worker.queue
    occupied = await own.acquire(ANONYMOUS)
    waiting = asyncio.create_task(client.get(PATH))
    await wait_until(lambda: own.queue_length(attended=True) == 1)
    for width in (400, 2000):
        assert (await game.get(f"/board.png?width={width}")).status == 200
    started = [await queue.acquire(ANONYMOUS) for queue in queues]
    own.release(ANONYMOUS, occupied)
    assert (await waiting).status == 200
    for queue, started_at in zip(queues, started, strict=True):
        queue.release(ANONYMOUS, started_at)


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
        for tag in (plain.headers["ETag"], packed.headers["ETag"], f"W/{packed.headers['ETag']}"):
            assert (await session.get(PATH, headers={"If-None-Match": tag})).status == 304
        assert (await session.get(f"{PATH}?theme=dark", headers={"If-None-Match": plain.headers["ETag"]})).status == 200
        head = await session.head(PATH, headers={"Accept-Encoding": "identity"})
        assert (head.status, head.headers["ETag"]) == (200, plain.headers["ETag"])
        assert int(head.headers["Content-Length"]) == len(body)

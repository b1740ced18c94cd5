"""Caching of pictures."""

import asyncio
import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

from service import drawing, i18n
from service.web import images
from service.web.renderer import IMAGE_RENDERER, DrawingJob
from tests.web.app_server import Client
from tests.web.http_game import check_problem, create_game

FORMS = ("svg", "png", "txt")
FOR_EVER = "public, max-age=31536000, immutable"


@pytest.mark.parametrize("form", FORMS)
async def test_if_none_match_returns_304_while_the_game_is_unchanged(client: Client, form: str) -> None:
    game = await create_game(client)
    path = f"/board.{form}?side=1"
    first = await game.get(path)
    assert first.headers["Cache-Control"] == "no-cache"
    same = await game.get(path, **{"If-None-Match": first.headers["ETag"]})
    assert (same.status, await same.read()) == (304, b"")
    assert same.headers["ETag"] == first.headers["ETag"]
    await game.act_successfully()
    other = await game.get(path, **{"If-None-Match": first.headers["ETag"]})
    assert other.status == 200
    assert other.headers["ETag"] != first.headers["ETag"]


async def test_etags_depend_on_options_and_format(client: Client) -> None:
    game = await create_game(client)
    paths = ("svg", "png", "txt", "svg?width=99", "svg?last=0", "svg?side=1", "svg?region=0,0,1,1", "svg?theme=dark")
    tags = [(await game.get(f"/board.{one}")).headers["ETag"] for one in paths]
    assert len({*tags}) == len(tags)
    assert all(tag.startswith('"1-') for tag in tags)


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
    assert then.headers["Cache-Control"] == FOR_EVER
    assert then.headers["ETag"] == now.headers["ETag"]
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


async def test_concurrent_equal_requests_are_drawn_once(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    game = await create_game(client)
    renderer = client.app[IMAGE_RENDERER]
    drawn: list[DrawingJob] = []
    worker = renderer._workers[False]
    draw = worker.draw

    async def counted(job: DrawingJob, *others: Any) -> bytes:
        drawn.append(job)
        return await draw(job, *others)

    monkeypatch.setattr(worker, "draw", counted)
    answers = await asyncio.gather(*(game.get("/board.png") for _ in range(8)))
    assert {answer.status for answer in answers} == {200}
    assert len({await answer.read() for answer in answers}) == 1
    await game.get("/board.png")
    assert len(drawn) == 1


async def test_the_service_responds_while_a_picture_is_drawn(client: Client) -> None:
    game = await create_game(client, seed="busy")
    await game.play_randomly(Random(1), 20)
    picture = asyncio.create_task(game.get("/board.png?width=2400&side=1"))
    images = 0
    while not picture.done():
        assert (await game.get()).status == 200
        images += 1
    assert (await picture).status == 200
    assert images > 3

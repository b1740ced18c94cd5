"""A damaged log is a problem of its own game, never a 500."""

from collections.abc import Callable
from multiprocessing import active_children
from random import Random
from typing import Any

import msgspec
import pytest
from redis.asyncio import Redis

from service.store import keys
from tests.web.app_server import Client
from tests.web.http_game import HTTPGame, check_problem, create_game

PLAYED = 12

Entry = tuple[bytes, dict[bytes, bytes]]


async def rewrite(redis: Redis, http_game: HTTPGame, change: Callable[[list[Entry]], list[Entry]]) -> None:
    """Change the stored log of a game."""
    key = keys.log(http_game.id)
    entries: Any = await redis.xrange(key)
    assert len(entries) > PLAYED
    await redis.delete(key)
    for entry, fields in change(entries):
        written: Any = fields
        await redis.xadd(key, written, id=entry)


def each(change: Callable[[dict[str, Any]], Any]) -> Callable[[list[Entry]], list[Entry]]:
    """Change every diff."""

    def changed(entries: list[Entry]) -> list[Entry]:
        for _, fields in entries:
            diff = msgspec.json.decode(fields[b"data"])
            change(diff)
            fields[b"data"] = msgspec.json.encode(diff, order="sorted")
        return entries

    return changed


def each_record(change: Callable[[dict[bytes, bytes]], dict[bytes, bytes]]) -> Callable[[list[Entry]], list[Entry]]:
    """Change the fields of every entry."""
    return lambda entries: [(entry, change(fields)) for entry, fields in entries]


NO_PLAYER = {"op": "add", "path": "/players/9/name", "value": "Zoë"}

DAMAGES: dict[str, Callable[[list[Entry]], list[Entry]]] = {
    "torn": each_record(lambda fields: {**fields, b"data": fields[b"data"][: len(fields[b"data"]) // 2]}),
    "beside itself": each(lambda diff: diff["patch"].append(NO_PLAYER)),
    "of another form": each(lambda diff: diff.update(patch=None)),
    "without its end": lambda entries: entries[: PLAYED // 2],
    "without fields": each_record(lambda fields: {b"data": fields[b"data"]}),
}


@pytest.fixture
async def http_game(client: Client) -> HTTPGame:
    game = await create_game(client, seed="damaged", first_seat=0)
    await game.play_randomly(Random(3), PLAYED + 1)
    while not (await game.get_json())["turn"]["undoable"]:
        await game.act_successfully()
    return game


@pytest.mark.parametrize(
    ("damage", "form"), (*((damage, "svg") for damage in DAMAGES), ("torn", "png"), ("torn", "txt"))
)
async def test_a_picture_of_a_version_whose_log_is_damaged(
    http_game: HTTPGame, redis: Redis, damage: str, form: str
) -> None:
    await rewrite(redis, http_game, DAMAGES[damage])
    problem = await check_problem(await http_game.get(f"/board.{form}?v={PLAYED}"), 503, "store_unavailable")
    assert "cannot read the stored game" in problem["detail"]
    assert (await http_game.get(f"/board.{form}")).status == 200


@pytest.mark.parametrize("damage", DAMAGES)
async def test_other_readers_of_a_damaged_log_do_not_fail(
    http_game: HTTPGame, redis: Redis, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    await rewrite(redis, http_game, DAMAGES[damage])
    for path in ("/story", "/legal-moves", "/scores", ""):
        response = await http_game.get(path)
        assert response.status in (200, 503), (path, await response.text())
    undone = await http_game.post("/undo")
    assert undone.status in (409, 503), await undone.text()
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


def with_unknown_tiles(diff: dict[str, Any]) -> None:
    for one in diff["patch"]:
        if one["path"].startswith("/board/") and isinstance(one["value"], dict):
            one["value"]["tile"] = "unheard-of"


async def test_a_picture_that_cannot_be_drawn_affects_no_other(
    http_game: HTTPGame, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    assert (await http_game.get("/board.svg?width=403")).status == 200
    workers = {*active_children()}
    assert workers
    await rewrite(redis, http_game, each(with_unknown_tiles))
    for _ in range(3):
        response = await http_game.get(f"/board.svg?v={PLAYED}")
        assert response.headers["Retry-After"] == "60"
        problem = await check_problem(response, 503, "store_unavailable")
        assert "could not be drawn" in problem["detail"]
    assert (await http_game.get("/board.svg?width=404")).status == 200
    assert {*active_children()} == workers
    (failure,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert "unheard-of" in failure.getMessage()

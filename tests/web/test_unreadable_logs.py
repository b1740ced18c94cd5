"""A damaged log is a problem of its own game, never a 500."""

from collections.abc import Callable
from multiprocessing import active_children
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from redis.asyncio import Redis

from service.games.ports import StoredDiff
from service.store import keys, log_entries
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.app_server import Client
from tests.web.http_game import HTTPGame, check_problem, create_game

PLAYED = 12

HEADER_BYTES = log_entries.COMMIT_ID_BYTES + 20
"""Before the number of the dictionary."""

Change = Callable[[list[bytes]], list[bytes]]


async def rewrite(redis: Redis, http_game: HTTPGame, change: Change) -> None:
    """Change the stored log of a game."""
    key = keys.log(http_game.id)
    stored: Any = await redis.xrange(key)
    entries = [fields[b"d"] for _, fields in stored]
    assert len(entries) > PLAYED
    await redis.delete(key)
    for version, entry in enumerate(change(entries), 1):
        await redis.xadd(key, {"d": entry}, id=f"{version}-0")


def each(change: Callable[[dict[str, Any]], Any]) -> Change:
    """Change every diff, and leave its digest as it is."""

    def changed(entries: list[bytes]) -> list[bytes]:
        diffs = log_entries.unpack("", "", enumerate(entries, 1))
        return [changed_entry(diff) for diff in diffs]

    def changed_entry(stored: StoredDiff) -> bytes:
        diff = msgspec.json.decode(stored.data)
        change(diff)
        data = msgspec.json.encode(diff, order="sorted")
        return log_entries.pack(bytes(log_entries.COMMIT_ID_BYTES), "", replace(stored, data=data))

    return changed


NO_PLAYER = {"op": "add", "path": "/players/9/name", "value": "Zoë"}

DAMAGES: dict[str, Change] = {
    "torn": lambda entries: [entry[: len(entry) // 2] for entry in entries],
    "of a later release": lambda entries: [
        entry[:HEADER_BYTES] + b"\xff" + entry[HEADER_BYTES + 1 :] for entry in entries
    ],
    "beside itself": each(lambda diff: diff["patch"].append(NO_PLAYER)),
    "of another form": each(lambda diff: diff.update(patch=None)),
    "without its end": lambda entries: entries[: PLAYED // 2],
    "empty": lambda entries: [b"" for _ in entries],
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


async def test_a_damaged_game_is_logged_once_and_counted(
    client: Client, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    http_game, before = await create_game(client), read_samples()
    for field in ("snapshot", "revision"):
        await redis.hset(keys.game(http_game.id), field, "damaged".ljust(20, "!"))
    for _ in range(3):
        await check_problem(await http_game.get(), 503, "store_unavailable")
    assert [line for line in caplog.messages if line.startswith(f"requests: game {http_game.id} failed")][1:] == []
    assert f"requests: game {http_game.id} failed" in caplog.text
    assert grown(before, "game_failures_total", work="requests") == 3

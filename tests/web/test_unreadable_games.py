"""A game whose stored data cannot be read: its own requests fail, other games are not affected."""

from collections.abc import Callable

import msgspec
import pytest
from redis.asyncio import Redis

from service.engine import SCHEMA_VERSION
from service.store import keys
from service.web.app_keys import CONTEXT
from tests.web.app_server import Client
from tests.web.http_game import HTTPGame, check_problem, create_game
from tests.web.watcher_client import connect_watcher


def truncate(stored: bytes) -> bytes:
    return stored[: len(stored) // 2]


def edit_by_hand(stored: bytes) -> bytes:
    """Change the content; the form stays that of a snapshot."""
    return stored.replace(b"\x04\x93\x00\x00\x00", b"\x04\x93\x00\x09\x00", 1)


def upgrade_schema(stored: bytes) -> bytes:
    fields = msgspec.msgpack.decode(stored)
    return msgspec.msgpack.encode([SCHEMA_VERSION + 1, *fields[1:-1], "new"])


DAMAGES = (truncate, edit_by_hand, upgrade_schema)


async def damage(
    client: Client, redis: Redis, game: HTTPGame, how: Callable[[bytes], bytes] = truncate, field: str = "snapshot"
) -> None:
    """Change the stored data of a game that the service has not cached."""
    stored = await redis.hget(keys.game(game.id), field)
    assert isinstance(stored, bytes)
    assert how(stored) != stored
    await redis.hset(keys.game(game.id), field, how(stored))
    client.app[CONTEXT].cache.pop(game.id)


@pytest.mark.parametrize("how", DAMAGES)
@pytest.mark.parametrize("path", ("", "/legal-moves", "/scores", "/tiles", "/story", "/board.svg", "/board.txt"))
async def test_an_unreadable_game_cannot_be_read(
    client: Client, redis: Redis, how: Callable[[bytes], bytes], path: str, caplog: pytest.LogCaptureFixture
) -> None:
    game = await create_game(client)
    await damage(client, redis, game, how)
    await check_problem(await game.get(path), 503, "store_unavailable")
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize("field", ("snapshot", "access"))
async def test_an_unreadable_game_cannot_be_changed(client: Client, redis: Redis, field: str) -> None:
    game = await create_game(client, [{"name": "Ana"}, {"name": "Bo"}])
    await damage(client, redis, game, field=field)
    await check_problem(await game.act({"move": "i0"}), 503, "store_unavailable")
    for path in ("/undo", "/resign", "/return", "/rematch"):
        response = await game.post(path)
        await check_problem(response, 503, "store_unavailable")
    hook = {"url": "https://bot.example/hook"}
    response = await game.post("/webhooks", hook)
    await check_problem(response, 503, "store_unavailable")
    await check_problem(await game.join("Cy"), 503, "store_unavailable")
    await check_problem(await game.delete(), 503, "store_unavailable")


@pytest.mark.parametrize("field", ("snapshot", "access"))
async def test_lists_skip_an_unreadable_game(client: Client, redis: Redis, field: str) -> None:
    whole, broken = await create_game(client), await create_game(client)
    await damage(client, redis, broken, field=field)
    listed = await (await client.get("/v1/games")).json()
    assert whole.id in [game["id"] for game in listed["games"]]
    tokens = {"Authorization": f"Bearer {whole.owner_token}, {broken.owner_token}"}
    mine = await (await client.get("/v1/seats/me/games", headers=tokens)).json()
    assert [game["game"]["id"] for game in mine["games"]] == [whole.id]


async def test_a_socket_gets_an_error_and_continues_with_other_games(client: Client, redis: Redis) -> None:
    whole, broken = await create_game(client), await create_game(client)
    await damage(client, redis, broken)
    async with connect_watcher(client) as watcher:
        await watcher.request_error({"type": "subscribe", "game": broken.id, "id": "s"}, "store_unavailable")
        await watcher.subscribe(whole.id)
        await whole.act_successfully()
        await watcher.receive_until(whole.id, 2)

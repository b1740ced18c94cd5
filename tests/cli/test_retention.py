"""Each game is kept as long after its last change as the setting for its status says, in all of its keys."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from redis.asyncio import Redis

from schemas.commands import SeatCommand
from schemas.lobby import JoinGame
from schemas.vocabulary import Status
from schemas.webhooks import RegisterWebhook
from service.engine import decode_snapshot
from service.games.commands.execute import CommandRequest, GameRequest
from service.games.commands.play import abort_game, resign_seat, undo
from service.games.commands.rematch import RematchRequest, rematch
from service.games.commands.seats import JoinRequest, join
from service.games.commands.webhooks import RegistrationRequest, register_webhook
from service.games.context import Context
from service.games.scheduler import advance_due_game
from service.games.webhook_owner import owner_by_token
from service.store import keys
from service.store.game_store import RedisStore
from service.telemetry.clock import DAY_S
from tests.cli.test_export_import import RETENTION, play_first_move
from tests.games.game_fixture import Clock, make_context
from tests.games.stored_games import OwnedGame, store_game

SLACK_S = 60
EXTENSION_SLACK_S = 600


async def joined(stored: OwnedGame, context: Context) -> None:
    await join(context, JoinRequest(id=stored.id, body=JoinGame(name="Bo"), token=stored.created.owner_token))


async def taken_back(stored: OwnedGame, context: Context) -> None:
    """After the tile, so that there is something to take back, unless the tile has ended the turn."""
    await play_first_move(stored, context)
    loaded = await context.store.load(stored.id)
    assert loaded is not None
    if decode_snapshot(loaded.snapshot).undoable:
        await undo(context, CommandRequest(id=stored.id, body=SeatCommand(), token=stored.created.owner_token))


async def resigned(stored: OwnedGame, context: Context) -> None:
    request = CommandRequest(id=stored.id, body=SeatCommand(seat=0), token=stored.created.owner_token)
    await resign_seat(context, request)


async def too_late(stored: OwnedGame, context: Context) -> None:
    assert isinstance(context.clock, Clock)
    context.clock.now += 10_000
    await advance_due_game(context, stored.id)


async def aborted(stored: OwnedGame, context: Context) -> None:
    await abort_game(context, GameRequest(id=stored.id, token=stored.created.owner_token))


async def rematched(stored: OwnedGame, context: Context) -> None:
    await rematch(context, RematchRequest(id=stored.id, token=stored.created.owner_token))


async def nothing(stored: OwnedGame, context: Context) -> None:
    del stored, context


Change = Callable[[OwnedGame, Context], Awaitable[object]]


@pytest.mark.parametrize(
    ("status", "change", "days"),
    (
        ("waiting", nothing, 3),
        ("waiting", joined, 5),
        ("waiting", aborted, 7),
        ("active", nothing, 5),
        ("active", play_first_move, 5),
        ("active", taken_back, 5),
        ("active", too_late, 5),
        ("active", resigned, 7),
        ("active", aborted, 7),
        ("finished", nothing, 7),
        ("finished", rematched, 7),
        ("aborted", rematched, 7),
    ),
)
async def test_each_kind_of_change_renews_the_retention_of_its_status(
    store: RedisStore, redis: Redis, status: Status, change: Change, days: int
) -> None:
    context = make_context(store, retention=RETENTION)
    timed: dict[str, Any] = {"turn_timeout_s": 600, "on_timeout": "pass"} if change is too_late else {}
    stored = await store_game(store, status, context=context, **timed)
    for key in (keys.game(stored.id), keys.log(stored.id)):  # what is stored on must be put off by the change itself
        if change is not nothing:
            await redis.expire(key, 1000)
    await change(stored, context)
    for key in (keys.game(stored.id), keys.log(stored.id)):
        assert days * DAY_S - SLACK_S < await redis.ttl(key) <= days * DAY_S + EXTENSION_SLACK_S, key
    for name in await redis.keys(keys.game_index("*")):
        assert await redis.ttl(name) > RETENTION.finished + DAY_S


async def test_every_key_of_a_game_expires(store: RedisStore, redis: Redis) -> None:
    context = make_context(store, retention=RETENTION)
    stored = await store_game(store, context=context, webhooks=1)
    await play_first_move(stored, context)
    of_game = await redis.keys(f"*{{{stored.id}}}*")
    assert len(of_game) >= 2
    assert all([await redis.ttl(key) > 0 for key in of_game]), of_game


async def test_a_webhook_does_not_renew_the_retention(store: RedisStore, redis: Redis) -> None:
    context = make_context(store, retention=RETENTION)
    stored = await store_game(store, context=context)
    await redis.expire(keys.game(stored.id), 1000)
    owner = owner_by_token(stored.id, stored.created.owner_token, 10)
    await register_webhook(context, owner, RegistrationRequest(RegisterWebhook(url="https://example.org/")))
    assert 900 < await redis.ttl(keys.game(stored.id)) <= 1000


async def test_an_expired_game_is_removed_from_the_schedule(store: RedisStore, redis: Redis) -> None:
    context = make_context(store)
    stored = await store_game(store, context=context, turn_timeout_s=600, on_timeout="pass")
    for key in (keys.game(stored.id), keys.log(stored.id)):
        await redis.pexpire(key, 1)
    async with asyncio.timeout(10):
        while await redis.exists(keys.game(stored.id)):  # noqa: ASYNC110  Redis gives no sign of it
            await asyncio.sleep(0.01)
    assert await store.list_due(2**33, 10) == [stored.id]
    await redis.zadd(keys.GAME_SCHEDULE, {stored.id: 1_000_000_000.5})
    await advance_due_game(context, stored.id)
    assert await store.list_due(2**33, 10) == []

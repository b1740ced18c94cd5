"""Delivery by several instances: at least once if instances end, exactly once otherwise."""

import asyncio
from unittest.mock import AsyncMock

import pytest
from aiohttp import web
from redis.asyncio import Redis

from service.games.ports import webhook_entry
from service.store import keys
from service.store.game_store import RedisStore, connect
from tests.web.http_game import create_game
from tests.web.webhook_owner import OWNER_KINDS, WebhookOwner, make_owner
from tests.web.webhook_receiver import OffsetClock, WebhookReceiver, register_webhook, run_instance


async def test_a_change_is_delivered_without_a_notification(
    owner: WebhookOwner, receiver: WebhookReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    await owner.register()
    monkeypatch.setattr(owner.instance.worker.wakeups, "add", lambda *_: None)
    await owner.game.act_successfully()
    monkeypatch.undo()
    assert receiver.received == []
    await owner.deliver()
    assert receiver.versions == [2]


@pytest.mark.parametrize("kind", OWNER_KINDS)
async def test_an_interrupted_delivery_is_repeated_by_another_instance(
    store: RedisStore, redis: Redis, later: OffsetClock, receiver: WebhookReceiver, kind: str
) -> None:
    arrived = asyncio.Event()

    async def hang_once(_: web.Request) -> web.Response:
        arrived.set()
        if len(receiver.received) == 1:
            await asyncio.Event().wait()
        return web.Response()

    async with run_instance(store, later) as first:
        owner = await make_owner(kind, first, receiver, store)
        hook = await owner.register()
        game, receiver.respond = owner.game, hang_once
        await game.act_successfully()
        await arrived.wait()
        assert await store.due_webhooks.list_due(int(later()), 10) == []  # other instances leave it alone
        entry = webhook_entry(game.id, hook["id"])
        store.due_webhooks.release_lease = AsyncMock()  # type: ignore[method-assign]  # as if it had crashed
    async with run_instance(store, later) as second:
        second.worker.wakeups.add(entry)
        await second.join()
        assert len(receiver.received) == 1
        await redis.delete(keys.lease(keys.WEBHOOK_SCHEDULE, entry))
        later.offset_s += 20
        await second.deliver()
    assert [message.id for message in receiver.received] == [f"{game.id}.2.{hook['id']}"] * 2


async def test_webhooks_wait_while_the_store_is_unavailable(
    receiver: WebhookReceiver, redis_url: str, redis: Redis
) -> None:
    del redis  # it has emptied the server
    async with connect(redis_url) as store, run_instance(store) as one:
        game = await create_game(one.client)
        hook = await register_webhook(game, receiver.url)
        await store._client.aclose()
        await one.deliver()
        one.worker.wakeups.add(webhook_entry(game.id, hook["id"]))
        await one.join()
    assert receiver.received == []

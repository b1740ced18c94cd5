"""However many instances there are, and however they end: each message at least once, in calm exactly once."""

import asyncio

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from redis.asyncio import Redis

from service.store import keys
from service.store.client import connect
from service.store.game_store import RedisStore
from tests.web.http_game import Table, new_table
from tests.web.webhook_receiver import LOCAL, Instance, Later, Receiver, instance, read, register, taking_challenges


async def test_what_one_instance_left_another_delivers(store: RedisStore, receiver: Receiver, later: Later) -> None:
    async with instance(store, later) as first:
        table = await new_table(first.client)
        await register(table, receiver.url)
        receiver.answers = [503]
        await table.do()
        await first.deliver()
    later.moved += 6
    async with instance(store, later) as second:
        await second.deliver()
    assert receiver.versions == [2, 2]
    assert len({message.id for message in receiver.received}) == 1


async def test_a_change_is_not_forgotten_where_nobody_looked_after_the_commit(
    one: Instance, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await new_table(one.client)
    await register(table, receiver.url)
    monkeypatch.setattr(one.deliverer, "_process", lambda _: asyncio.sleep(0))
    await table.do()
    monkeypatch.undo()
    one.deliverer._in_progress.clear()
    assert receiver.received == []
    await one.deliver()
    assert receiver.versions == [2]


async def test_two_instances_deliver_each_once_where_nothing_fails(store: RedisStore, receiver: Receiver) -> None:
    async with instance(store) as first, instance(store) as second:
        table = await new_table(first.client)
        await register(table, receiver.url)
        other = Table(second.client, table.created)
        for number in range(20):
            await (table, other)[number % 2].do()
            await asyncio.gather(first.deliver(), second.deliver())
        await asyncio.sleep(1.1)
        await asyncio.gather(first.deliver(), second.deliver())
    assert receiver.versions == [*range(2, 22)]


async def test_who_dies_in_the_middle_leaves_it_to_others_who_send_the_same_again(
    store: RedisStore, redis: Redis, later: Later
) -> None:
    got: list[str] = []
    arrived = asyncio.Event()

    async def hang(request: web.Request) -> web.Response:
        got.append(request.headers["webhook-id"])
        arrived.set()
        if len(got) == 1:
            await asyncio.sleep(30)
        return web.Response(status=200)

    app = web.Application(middlewares=[taking_challenges])
    app.router.add_post("/hook", hang)
    async with TestServer(app) as server:
        slow = LOCAL._replace(webhook_timeout_s=30)
        async with instance(store, later, limits=slow) as first:
            table = await new_table(first.client)
            hook = await register(table, str(server.make_url("/hook")))
            await table.do()
            await arrived.wait()
            await first.deliverer.aclose()
        async with instance(store, later) as second:
            await second.deliver()
            assert len(got) == 1
            await redis.delete(keys.webhook_lease(table.id, hook["id"]))
            later.moved += 20
            await second.deliver()
    assert got == [f"{table.id}.2.{hook['id']}"] * 2


async def test_who_held_it_too_long_does_not_overwrite_what_others_did(
    store: RedisStore, redis: Redis, later: Later
) -> None:
    released, arrived = asyncio.Event(), asyncio.Event()
    got: list[int] = []

    async def slow(request: web.Request) -> web.Response:
        got.append((await request.json())["data"]["version"])
        arrived.set()
        if len(got) == 1:
            await released.wait()
            return web.Response(status=500)
        return web.Response()

    app = web.Application(middlewares=[taking_challenges])
    app.router.add_post("/hook", slow)
    slowly = LOCAL._replace(webhook_timeout_s=30)
    async with (
        TestServer(app) as server,
        instance(store, later, limits=slowly) as first,
        instance(store, later) as second,
    ):
        table = await new_table(first.client)
        hook = await register(table, str(server.make_url("/hook")))
        await table.do()
        await arrived.wait()
        await redis.delete(keys.webhook_lease(table.id, hook["id"]))
        later.moved += 20
        await second.deliver()
        released.set()
        await first.deliverer.join()
        told = await read(table, hook)
    assert got == [2, 2]
    assert (told["delivered_version"], told["failures"]) == (2, 0)


async def test_what_is_due_is_looked_at_again_and_again_until_it_is_told_to_stop(
    store: RedisStore, receiver: Receiver
) -> None:
    async with instance(store) as idle, instance(store) as running:
        looking = asyncio.create_task(running.deliverer.run(0.02))
        table = await new_table(idle.client)
        await register(table, receiver.url)
        idle.deliverer._in_progress[table.id, (await table.json("/webhooks"))["webhooks"][0]["id"]] = False
        await table.do()
        async with asyncio.timeout(10):
            while not receiver.received:  # noqa: ASYNC110 (the other instance comes upon it)
                await asyncio.sleep(0.02)
        looking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await looking
    assert receiver.versions == [2]


async def test_without_a_store_webhooks_wait(receiver: Receiver, redis_url: str, redis: Redis) -> None:
    del redis  # it has emptied the server
    async with connect(redis_url) as store, instance(store) as one:
        table = await new_table(one.client)
        hook = await register(table, receiver.url)
        await store._client.aclose()
        await one.deliver()
        one.deliverer.dispatch(table.id, [hook["id"]])
        await one.deliverer.join()
    assert receiver.received == []

"""Where a game has more watchers than are told in one tick, nobody sees a difference."""

import asyncio
from contextlib import AsyncExitStack
from random import Random

import pytest

from service.games.realtime import broadcaster
from tests.web.app_server import Client
from tests.web.http_game import Table, bearer, new_table
from tests.web.watcher_client import Line, connected, watching

WATCHERS = 12


@pytest.fixture(autouse=True)
def _one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each tick tells one watcher."""
    monkeypatch.setattr(broadcaster, "BATCH_SIZE", 1)


@pytest.fixture
async def table(client: Client) -> Table:
    return await new_table(client, seed="many")


async def opened(stack: AsyncExitStack, client: Client, table: Table) -> list[Line]:
    """As many watchers, half of them with compression."""
    path = f"/v1/games/{table.id}/ws"
    lines = [
        await stack.enter_async_context(connected(client, path, table.owner, compress=15 * (number % 2)))
        for number in range(WATCHERS)
    ]
    for line in lines:
        await line.hear("subscribed")
        await line.hear("snapshot")
    return lines


async def test_all_are_told_everything_in_order(client: Client, table: Table) -> None:
    async with AsyncExitStack() as stack:
        lines = await opened(stack, client, table)
        for _ in range(30):
            await table.do()
        game = await table.json()
        for line in lines:
            kept = await line.reach(table.id, game["version"])
            assert (kept.game, kept.snapshots) == (game, 1)
            await line.nothing()


async def test_the_last_to_be_told_hears_of_its_own_act_before_the_answer(client: Client, table: Table) -> None:
    chance = Random(1)
    async with AsyncExitStack() as stack:
        lines = await opened(stack, client, table)
        for version in range(2, 20):
            move = chance.choice(await table.moves())["id"]
            line = chance.choice(lines)
            await line.say({"type": "act", "game": table.id, "move": move})
            await line.reach(table.id, version)
            assert (await line.hear("ack"))["version"] == version
        for line in lines:
            await line.reach(table.id, 19)
            await line.nothing()


async def test_who_leaves_or_begins_anew_meanwhile_misses_nothing(client: Client, table: Table) -> None:
    async with AsyncExitStack() as stack:
        lines = await opened(stack, client, table)

        async def come_and_go(line: Line, chance: Random) -> None:
            for _ in range(10):
                await line.say({"type": chance.choice(("sync", "subscribe")), "game": table.id})
                await asyncio.sleep(chance.random() / 50)

        async with asyncio.TaskGroup() as group:
            for number, line in enumerate(lines):
                group.create_task(come_and_go(line, Random(number)))
            for _ in range(30):
                await table.do()
        game = await table.json()
        for line in lines:
            await line.say({"type": "ping", "id": "last"})
            while (await line.hear())["type"] != "pong":
                pass
            assert line.keeper(table.id).game == game


async def test_all_hear_of_an_end(client: Client, table: Table) -> None:
    async with AsyncExitStack() as stack:
        lines = await opened(stack, client, table)
        async with watching(client, table.id) as late:
            await client.delete(table.path, headers=bearer(table.owner))
            for line in [*lines, late]:
                await line.hear("diff")
                assert line.keeper(table.id).game["status"] == "aborted"

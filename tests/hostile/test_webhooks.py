"""Webhooks as a weapon: servers that never answer, registered by the dozen, hold up nobody but each other."""

import asyncio
import time
from collections import Counter
from collections.abc import Mapping

from service.games.webhooks.delivering import OF_A_SITE, Deliverer, Sent, site
from service.store.store import RedisStore
from service.web.serving import running
from tests.web.played import Table, bearer, new_table
from tests.web.served import serve

SLOW_GAMES = 3
HOOKS = 10


class Sites:
    """Servers of which those of slow.example answer only when they are let."""

    def __init__(self) -> None:
        self.let = asyncio.Event()
        self.under_way = Counter[str]()
        self.most = 0
        self.answered = Counter[str]()

    async def send(self, url: str, headers: Mapping[str, str], body: bytes) -> Sent:
        """Take a message."""
        del headers, body
        where = site(url)
        self.under_way[where] += 1
        self.most = max(self.most, self.under_way["slow.example"])
        if where == "slow.example":
            await self.let.wait()
        self.under_way[where] -= 1
        self.answered[where] += 1
        return Sent(204, None, 1)


async def register(table: Table, url: str) -> None:
    """Register a webhook of a game."""
    hook = {"url": url}
    answer = await table.client.post(table.path + "/webhooks", json=hook, headers=bearer(table.owner))
    assert answer.status == 201, await answer.text()


async def test_servers_that_do_not_answer_hold_up_only_each_other(store: RedisStore) -> None:
    sites = Sites()
    deliverer = Deliverer(store, sites.send, time.time)
    async with serve(store, hooked=deliverer.hooked) as client, running(deliverer.keep_delivering(0.1)):
        slow = [await new_table(client) for _ in range(SLOW_GAMES)]
        quick = await new_table(client)
        for number, table in enumerate(slow):
            for hook in range(HOOKS):
                await register(table, f"https://{number}-{hook}.slow.example/")
        await register(quick, "https://quick.example/")
        for table in (*slow, quick):
            await table.do()
        async with asyncio.timeout(20):
            while sites.under_way["slow.example"] < OF_A_SITE or not sites.answered["quick.example"]:  # noqa: ASYNC110  what is waited for wakes nobody
                await asyncio.sleep(0.02)
        assert sites.most == OF_A_SITE
        sites.let.set()
        async with asyncio.timeout(20):
            while sites.answered["slow.example"] < SLOW_GAMES * HOOKS:  # noqa: ASYNC110  what is waited for wakes nobody
                await asyncio.sleep(0.02)
        assert sites.answered == {"slow.example": SLOW_GAMES * HOOKS, "quick.example": 1}

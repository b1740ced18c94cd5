"""Webhook servers that hang, registered by the dozen, delay only each other."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import NamedTuple

import msgspec
import pytest

from service.games.ports import TIMEOUT, SendResult
from service.games.webhooks.delivery import WebhookDispatcher
from service.games.webhooks.delivery_slots import DeliverySlots, HostStatus, SlotLimits, site_of_url
from service.store.game_store import RedisStore
from service.supervision import Supervisor
from tests.polling import wait_until
from tests.web.app_server import Client, serve
from tests.web.http_game import HTTPGame, create_game
from tests.web.webhook_receiver import register_webhook

TIMEOUT_S = 1_000.0
"""Timeout for servers that hang: longer than any test, so that waiting for one of them fails."""

PROMPT_S = 0.2
ROUNDS = 5

ALL_SLOTS = 64
"""Hanging deliveries that once stopped all others, before sites had a share."""


class WebhookSites:
    """Servers of which some answer and some never do; all accept their challenge by default."""

    def __init__(self) -> None:
        self.hanging: Callable[[str], bool] = lambda where: where.startswith("slow")
        self.hang_challenges = False
        self.under_way = Counter[str]()
        self.most = Counter[str]()
        self.answered = Counter[str]()
        self.arrived = asyncio.Condition()

    async def send(
        self, url: str, headers: Mapping[str, str], body: bytes, /, *, challenge: bool = False
    ) -> SendResult:
        """Receive a webhook."""
        del headers
        where = site_of_url(url)
        self.under_way[where] += 1
        self.most[where] = max(self.most[where], self.under_way[where])
        try:
            if self.hanging(where) and (self.hang_challenges or not challenge):
                await asyncio.sleep(TIMEOUT_S)
                return SendResult(None, "timeout", int(TIMEOUT_S * 1000))
        finally:
            self.under_way[where] -= 1
        if challenge:
            return SendResult(200, None, 1, msgspec.json.encode({"challenge": msgspec.json.decode(body)["challenge"]}))
        async with self.arrived:
            self.answered[where] += 1
            self.arrived.notify_all()
        return SendResult(204, None, 1)

    async def wait_until(self, what: Callable[[], bool]) -> None:
        """Wait until a webhook was received that makes the condition true."""
        async with asyncio.timeout(30), self.arrived:
            await self.arrived.wait_for(what)


class HostileInstance(NamedTuple):
    """An instance whose webhooks lead to such servers."""

    client: Client
    sites: WebhookSites
    dispatcher: WebhookDispatcher

    def is_attempted(self) -> bool:
        """Return whether each webhook is being delivered or postponed, or all slots for hanging ones are in use."""
        hanging = self.sites.under_way.total()
        return hanging >= ALL_SLOTS or 0 < hanging == len(self.dispatcher)

    async def create_hanging(self, games: int, sites: int) -> list[HTTPGame]:
        """Create games with ten webhooks each, at this number of sites that hang."""
        created = [await create_game(self.client) for _ in range(games)]
        for number, game in enumerate(created):
            for hook in range(10):
                await register_webhook(game, f"https://{hook}.slow{number % sites}.example/")
        return created

    async def create_prompt(self, where: str) -> HTTPGame:
        """Create a game with a webhook at a server that answers, and wait until it has received some changes."""
        game = await create_game(self.client)
        await register_webhook(game, f"https://{where}/")
        await wait_until_proven(game, 1)
        await self.change_and_wait(game, where)
        return game

    async def change_and_wait(self, game: HTTPGame, where: str) -> None:
        """Change a game several times, and wait until a server received each change."""
        for _ in range(ROUNDS):
            before = self.sites.answered[where]
            await game.act_successfully()
            await self.sites.wait_until(lambda: self.sites.answered[where] > before)  # noqa: B023  it is waited for here


@asynccontextmanager
async def hostile(store: RedisStore) -> AsyncIterator[HostileInstance]:
    sites = WebhookSites()
    dispatcher = WebhookDispatcher(store, sites.send, time.time, slots=DeliverySlots(SlotLimits(slow_after_s=PROMPT_S)))
    delivering = Supervisor().running("webhooks", partial(dispatcher.run, 0.1))
    async with serve(store, on_webhooks_due=dispatcher.dispatch) as client, delivering:
        yield HostileInstance(client, sites, dispatcher)


async def wait_until_proven(game: HTTPGame, number: int) -> None:
    """Wait until so many webhooks of a game have passed their challenge."""
    async with asyncio.timeout(30):
        while True:
            hooks = (await game.get_json("/webhooks"))["webhooks"]
            if [hook["status"] for hook in hooks] == ["active"] * number:
                return
            await asyncio.sleep(0.05)


async def test_a_timeout_makes_a_host_slow(store: RedisStore) -> None:
    async def send(_url: str, _headers: Mapping[str, str], _body: bytes, /, *, challenge: bool = False) -> SendResult:
        del challenge
        return SendResult(None, TIMEOUT, 1)

    slots = DeliverySlots()
    dispatcher = WebhookDispatcher(store, send, time.time, slots=slots)
    async with serve(store) as client:
        await register_webhook(await create_game(client), "https://slow.example/")
        await dispatcher.dispatch_due()
        await dispatcher.join()
    await dispatcher.aclose()
    assert slots.host_status("https://slow.example/") is HostStatus.SLOW


@pytest.mark.parametrize(("hanging", "games"), ((4, 4), (40, 1)))
async def test_hanging_servers_delay_no_other(store: RedisStore, hanging: int, games: int) -> None:
    async with hostile(store) as one:
        good = await one.create_prompt("good.example")
        http_games = await one.create_hanging(hanging * games, hanging)
        await asyncio.gather(*(wait_until_proven(game, 10) for game in http_games))
        await asyncio.gather(*(game.act_successfully() for game in http_games))
        await wait_until(one.is_attempted)
        await one.change_and_wait(good, "good.example")
        await one.create_prompt("fresh.example")
        assert one.sites.under_way.total() > 0, "none of them hangs any more, so this shows nothing"


async def test_servers_that_hang_at_their_challenge_delay_no_other(store: RedisStore) -> None:
    async with hostile(store) as one:
        one.sites.hang_challenges = True
        await one.create_hanging(40, 40)
        await wait_until(one.is_attempted)
        await one.create_prompt("fresh.example")
        assert 0 < one.sites.under_way.total() <= SlotLimits().unknown + SlotLimits().all_slow

"""Names in strangers' URLs are looked up apart, within bounds, and what fails always looks the same."""

import asyncio
import socket
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from unittest.mock import Mock

import pycares
import pytest

from service.web import outbound as module
from service.web.limits import Limits
from service.web.outbound import (
    MAX_ADDRESSES,
    NameResolutionFailed,
    WebhookResolver,
    open_webhook_sender,
    parse_nameservers,
)
from tests.polling import wait_until
from tests.web.name_server import Answers, NameServer, no_reply, run_name_server
from tests.web.webhook_receiver import run_receiver

NAMES = {
    "public.example": ["192.0.2.1", "1.1.1.1", "2606:4700:4700::1111"],
    "inside.example": ["10.0.0.7", "fd00::7"],
    "both.example": ["10.0.0.7", "1.1.1.1"],
    "azure.example": ["168.63.129.16"],
    "many.example": [f"1.1.1.{number}" for number in range(1, 60)],
    "quick.org": ["1.1.1.1"],
}


def answers(name: str) -> list[str] | None:
    """Return what the name server knows; a name that hangs gets no answer."""
    return None if name.endswith("hang.example") else NAMES.get(name, [])


@asynccontextmanager
async def resolving(
    answered: Answers = answers, timeout_s: float = 0.3, *, allow_private: bool = False
) -> AsyncIterator[tuple[WebhookResolver, NameServer]]:
    """Create a resolver with a name server of its own."""
    async with run_name_server(answered) as server:
        resolver = WebhookResolver(allow_private=allow_private, nameservers=[server.address], timeout_s=timeout_s)
        try:
            yield resolver, server
        finally:
            await resolver.close()


async def test_only_the_public_addresses_of_a_name_are_returned() -> None:
    async with resolving() as (resolver, _):
        result = await resolver.resolve("public.example", 443)
        both = await resolver.resolve("both.example", 443)
    assert {one["host"] for one in result} == {"1.1.1.1", "2606:4700:4700::1111"}
    assert [one["host"] for one in both] == ["1.1.1.1"]
    assert {(one["hostname"], one["port"]) for one in result} == {("public.example", 443)}


async def test_only_a_few_of_many_addresses_are_tried() -> None:
    async with resolving() as (resolver, _):
        assert len(await resolver.resolve("many.example", 443)) == MAX_ADDRESSES


async def test_all_failures_of_a_name_look_the_same_and_take_the_same_time() -> None:
    took, failures = {}, set()
    async with resolving() as (resolver, _):
        for name in ("nothing.example", "inside.example", "azure.example", "hang.example", "a..b", "x" * 300):
            started_at = time.perf_counter()
            with pytest.raises(NameResolutionFailed) as failure:
                await resolver.resolve(name, 443)
            failures.add(str(failure.value))
            took[name] = time.perf_counter() - started_at
    assert len(failures) == 1
    assert min(took.values()) >= 0.29, took


async def test_development_may_look_up_inner_names() -> None:
    async with resolving(allow_private=True) as (resolver, _):
        result = await resolver.resolve("inside.example", 80)
        local = await resolver.resolve("localhost", 80, socket.AF_INET)
    assert {one["host"] for one in result} == {"10.0.0.7", "fd00::7"}
    assert [one["host"] for one in local] == ["127.0.0.1"]


async def test_a_name_is_queried_literally_and_cached() -> None:
    async with resolving() as (resolver, server):
        for _ in range(3):
            await resolver.resolve("public.example", 443)
        with pytest.raises(NameResolutionFailed):
            await resolver.resolve("redis.default", 443)
    assert server.queried_names == ["public.example", "redis.default"]


async def test_the_number_of_cached_names_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CACHED_LOOKUPS", 2)
    async with resolving(timeout_s=20) as (resolver, server), asyncio.timeout(20):
        while server.queried_names.count("public.example") < 3:
            await resolver.resolve("public.example", 443)


async def test_names_are_cached_again_after_the_cache_is_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CACHED_LOOKUPS", 2)
    resets: list[str] = []
    async with resolving(timeout_s=20) as (resolver, _):
        monkeypatch.setattr(resolver._channel, "reinit", lambda: resets.append("emptied"))
        for _ in range(6):
            await resolver.resolve("public.example", 443)
    assert len(resets) == 2


async def test_a_site_that_does_not_answer_delays_no_other() -> None:
    async with resolving(timeout_s=1_000) as (resolver, server):
        hanging = [asyncio.create_task(resolver.resolve(f"{number}.hang.example", 443)) for number in range(200)]
        await wait_until(lambda: server.queried_names)
        async with asyncio.timeout(20):
            await resolver.resolve("quick.org", 443)
        assert len({*server.queried_names}) <= module.MAX_LOOKUPS_PER_SITE + 1
        for task in hanging:
            task.cancel()
        await asyncio.gather(*hanging, return_exceptions=True)
    assert resolver._sites == {}


async def test_no_lookup_outlives_a_cancellation_or_the_shutdown() -> None:
    async with asyncio.timeout(20), resolving(no_reply, timeout_s=1_000) as (resolver, server):
        waiting = [asyncio.create_task(resolver.resolve(f"{number}.org", 443)) for number in range(10)]
        await wait_until(lambda: len({*server.queried_names}) >= 10)
        for task in waiting[:5]:
            task.cancel()
        await asyncio.gather(*waiting[:5], return_exceptions=True)
        assert all(task.cancelled() for task in waiting[:5])
    for task in waiting[5:]:
        task.cancel()
    await asyncio.gather(*waiting[5:], return_exceptions=True)


async def test_no_thread_of_other_pools_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, before = asyncio.get_running_loop(), threading.active_count()

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the loop's own resolver or pool was used")

    async with run_receiver() as receiver, run_name_server(lambda _: ["127.0.0.1"]) as server:
        monkeypatch.setattr(loop, "getaddrinfo", refuse)
        monkeypatch.setattr(loop, "run_in_executor", refuse)
        limits = Limits(webhooks_allow_private=True, webhook_nameservers=(server.address,))
        async with open_webhook_sender(limits) as send:
            sent = await send(
                receiver.url.replace("127.0.0.1", "bot.test"), {}, b'{"type": "challenge", "challenge": ""}'
            )
        monkeypatch.undo()
    assert (sent.status, server.queried_names) == (200, ["bot.test"])
    assert threading.active_count() - before <= 1, "c-ares' own thread that closes"


@pytest.mark.parametrize("text", ("bot.example", "192.0.2.53:", "192.0.2.53:0", "192.0.2.53:70000", "[::1"))
def test_a_name_server_must_be_an_address(text: str) -> None:
    with pytest.raises(ValueError, match="is neither ADDRESS nor ADDRESS:PORT"):
        parse_nameservers(text)


@pytest.mark.parametrize(("allow_private", "nameservers"), ((True, ("192.0.2.53",)), (False, ())))
async def test_names_are_queried_so_often_and_for_so_long(
    monkeypatch: pytest.MonkeyPatch, allow_private: bool, nameservers: tuple[str, ...]
) -> None:
    """Search domains are tried where private addresses are allowed, in development."""
    channel = Mock()
    monkeypatch.setattr(pycares, "Channel", channel)
    resolver = WebhookResolver(allow_private=allow_private, nameservers=nameservers)
    searched = 0 if allow_private else pycares.ARES_FLAG_NOSEARCH
    flags = pycares.ARES_FLAG_EDNS | pycares.ARES_FLAG_IGNTC | searched
    channel.assert_called_once_with(flags=flags, timeout=1.0, tries=4, servers=nameservers or None)
    await resolver.close()
    assert [one[0] for one in channel.return_value.method_calls] == ["cancel", "close"]

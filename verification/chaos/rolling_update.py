"""A rolling update: stops and restarts each instance, as Kubernetes does, while clients send each request only once."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path

import aiohttp

from tests.polling import in_background
from verification.chaos.checker import Violation
from verification.chaos.client_context import ClientContext
from verification.chaos.history import Disconnected, Fault, History, Polled, ReconnectRequested, Record
from verification.chaos.testbed import Testbed

POLL_INTERVAL_S = 0.03


async def roll_instances(testbed: Testbed, history: History, releases: Sequence[Path]) -> AsyncIterator[Fault]:
    """Restart one instance after the other, once for each release, of whose sources it then runs."""
    for release in releases:
        for instance in testbed.instances:
            instance.release = release
            started_at = time.monotonic()
            instance.terminate()
            code = await instance.wait_until_ended()
            if code != 0:
                history.add_violation(instance.name, f"exited with code {code}")
            await instance.start()
            await testbed.proxy.wait_until_up([instance.name])
            fault = Fault(
                kind="restart an instance",
                detail=f"{instance.name} of {release.name}",
                at=started_at,
                healed_at=time.monotonic(),
            )
            history.add(fault)
            yield fault


def polling(context: ClientContext, clients: int) -> AbstractAsyncContextManager[None]:
    """Run clients that poll the list of games, half of them with a new connection for each request."""
    return in_background(*(_poll(context, f"poller{number}", force_close=number % 2 == 1) for number in range(clients)))


async def _poll(context: ClientContext, client: str, *, force_close: bool) -> None:
    """Read the list of games repeatedly, and record each failed request."""
    count = 0
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=force_close)) as session:
        try:
            while True:
                try:
                    async with session.get(f"{context.url}/v1/games?limit=5") as response:
                        await response.read()
                        if response.status != 200:
                            context.history.add_violation(client, f"GET returned {response.status}")
                except (aiohttp.ClientError, OSError) as error:
                    context.history.add_violation(client, f"GET failed: {error!r}")
                count += 1
                await asyncio.sleep(POLL_INTERVAL_S)
        finally:
            context.history.add(Polled(client=client, count=count))


def check_rolling_update(records: Sequence[Record]) -> Iterator[Violation]:
    """Check that no connection was rejected, or closed without a request to reconnect."""
    warned: set[str] = set()
    for record in records:
        if isinstance(record, ReconnectRequested):
            warned.add(record.client)
        elif isinstance(record, Disconnected):
            if record.client not in warned:
                yield Violation("dropped", record.client, record.reason)
            with suppress(KeyError):
                warned.remove(record.client)

"""A rolling update: each instance is stopped, as Kubernetes does it, and started again, while clients ask only once."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress

import aiohttp

from tests.chaos.checker import Violation
from tests.chaos.client_context import ClientContext
from tests.chaos.history import ContractViolation, Disconnected, Fault, History, Polled, ReconnectRequested, Record
from tests.chaos.testbed import Testbed

__all__ = ["STOPPED", "check_rolling", "polling", "roll_instances"]

STOPPED = "stop and start an instance"
POLL_INTERVAL_S = 0.03


async def roll_instances(site: Testbed, history: History, rounds: int) -> AsyncIterator[Fault]:
    """Replace each instance after the other, so many times."""
    for _ in range(rounds):
        for one in site.instances:
            started_at = time.monotonic()
            one.terminate()
            code = await one.wait_until_ended()
            if code != 0:
                history.add(ContractViolation(client=one.name, detail=f"it ended with {code}"))
            await one.start()
            await site.proxy.wait_for([one.name])
            fault = Fault(kind=STOPPED, detail=one.name, at=started_at, healed=time.monotonic())
            history.add(fault)
            yield fault


@asynccontextmanager
async def polling(world: ClientContext, games: int) -> AsyncIterator[None]:
    """Clients that read what there is, half of them over a connection of its own each time."""
    tasks = [asyncio.create_task(_poll(world, f"poller{number}", closes=number % 2 == 1)) for number in range(games)]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _poll(world: ClientContext, client: str, *, closes: bool) -> None:
    """Ask for the list of games, again and again; whatever is not answered well is written down."""
    count = 0
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=closes)) as session:
        try:
            while True:
                try:
                    async with session.get(f"{world.url}/v1/games?limit=5") as response:
                        await response.read()
                        if response.status != 200:
                            world.history.add(
                                ContractViolation(client=client, detail=f"GET answered {response.status}")
                            )
                except (aiohttp.ClientError, OSError) as error:
                    world.history.add(ContractViolation(client=client, detail=f"GET failed: {error!r}"))
                count += 1
                await asyncio.sleep(POLL_INTERVAL_S)
        finally:
            world.history.add(Polled(client=client, count=count))


def check_rolling(records: Sequence[Record]) -> Iterator[Violation]:
    """Nobody's connection ends without a word before it, and nobody is refused one."""
    warned: set[str] = set()
    for record in records:
        if isinstance(record, ReconnectRequested):
            warned.add(record.client)
        elif isinstance(record, Disconnected):
            if record.client not in warned:
                yield Violation("failed", record.client, record.reason)
            with suppress(KeyError):
                warned.remove(record.client)

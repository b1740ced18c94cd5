"""`python -m benchmarks.fairness`: what one address can take from another client, attack by attack.

An instance runs with its default limits on one core. A client reads a game 50 times a second, or 8 small pictures that
must be drawn; before, while and after another address (`benchmarks.attacker`) sends what is expensive, as fast as it
can. For each attack the table has the client's median and p90 latency, the processor time that the attacker took, as a
share of one core, and what the attacker was answered.

The attacker's processor time is that of the server and its children, less what the client's own requests took before.
An address that reads as much as it may takes about a third of a core (`--rate-requests`).
"""

import argparse
import asyncio
import sys
from collections.abc import Iterable
from time import perf_counter
from typing import NamedTuple

import msgspec
import uvloop

from benchmarks.attacker import ATTACKS, VERSIONS
from benchmarks.load_client import OK, HTTPConnection
from benchmarks.processes import OTHER_CORE, SERVER_CORE, Server, pinned_to, process, redis, service
from benchmarks.request_corpus import create, posts
from benchmarks.sample_games import lagoon, sample_game

INTERVAL_S = 0.02
PICTURE_INTERVAL_S = 0.12
"""Eight at once: a quarter of the time to draw them counts against `--rate-time`."""
CALM_S = 1.5
ATTACK_S = 4.0
WIDTHS = range(200, 1_000)
"""Widths of the client's pictures: each must be drawn."""


class Phase(NamedTuple):
    """What was measured in one phase."""

    latencies_ms: list[float]
    cpu_s: float
    """Processor time of the server and its children."""
    seconds: float

    def percentile(self, percent: int) -> float:
        """Return a percentile of the latencies, in ms."""
        return sorted(self.latencies_ms)[len(self.latencies_ms) * percent // 100]


class Result(NamedTuple):
    """One attack."""

    name: str
    before: Phase
    during: Phase
    after: Phase
    statuses: dict[str, int]

    @property
    def attacker_share(self) -> float:
        """Return the attacker's processor time as a share of one core."""
        own = self.before.cpu_s / len(self.before.latencies_ms) * len(self.during.latencies_ms)
        return max(0.0, self.during.cpu_s - own) / self.during.seconds


def report_lines(results: Iterable[Result]) -> Iterable[str]:
    """Yield the table as Markdown."""
    yield "| attack | median before, during, after (ms) | p90 (ms) | attacker, of one core | answers to the attacker |"
    yield "| --- | --- | --- | --- | --- |"
    for result in results:
        phases = result.before, result.during, result.after
        median, p90 = (" / ".join(f"{phase.percentile(percent):.1f}" for phase in phases) for percent in (50, 90))
        answers = ", ".join(f"{status}: {number:,}" for status, number in sorted(result.statuses.items()))
        yield f"| {result.name} | {median} | {p90} | {result.attacker_share:.0%} | {answers} |"


async def measure(server: Server, name: str, address: str, game: str) -> Result:
    """Measure one attack."""
    connection = await HTTPConnection.open(server.port)
    widths, pictures = iter(WIDTHS), "pictures" in name
    interval_s = PICTURE_INTERVAL_S if pictures else INTERVAL_S

    def encode_request() -> bytes:
        path = f"{game}/board.png?width={next(widths)}" if pictures else game
        return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()

    async def observe(seconds: float) -> Phase:
        latencies, cpu_s, started_at = list[float](), server.family_cpu_s(), perf_counter()
        while not latencies or perf_counter() < started_at + seconds:
            sent_at = perf_counter()
            response = await connection.request(encode_request())
            if not response.startswith(OK):
                raise RuntimeError(response.decode(errors="replace"))
            latencies.append((perf_counter() - sent_at) * 1000)
            await asyncio.sleep(max(0.0, interval_s - (perf_counter() - sent_at)))
        return Phase(latencies, server.family_cpu_s() - cpu_s, perf_counter() - started_at)

    await observe(0.0)  # the first picture waits for the process that draws
    before = await observe(CALM_S)
    arguments = (name, str(server.port), game, address, str(ATTACK_S))
    async with process(sys.executable, "-m", "benchmarks.attacker", *arguments, on=(OTHER_CORE,)) as attacker:
        assert attacker.stdout is not None  # noqa: S101 (it is a pipe)
        await attacker.stdout.readline()  # it begins
        during = await observe(ATTACK_S)
        statuses = msgspec.json.decode(await attacker.stdout.read(), type=dict[str, int])
    after = await observe(CALM_S)
    connection.transport.abort()
    return Result(name, before, during, after, statuses)


async def create_played_game(port: int) -> str:
    """Create a game with a board that is worth drawing, and return its path."""
    sample = sample_game(lagoon().index, "fairness")
    (game,) = await create(port, [sample.seed])
    connection = await HTTPConnection.open(port)
    for action in posts(game, sample.moves[:VERSIONS]):
        response = await connection.request(action)
        if not response.startswith(OK):
            raise RuntimeError(response.decode())
    connection.transport.abort()
    return f"/v1/games/{game.id}"


async def run(names: Iterable[str]) -> None:
    """Measure the attacks one after the other, each from an address of its own, and print the table."""
    results = []
    async with redis() as redis_url, service(redis_url, (SERVER_CORE,), ()) as server:
        game = await create_played_game(server.port)
        for number, name in enumerate(names, 10):
            print(f"{name} ...", file=sys.stderr, flush=True)
            results.append(await measure(server, name, f"127.0.0.{number}", game))
    print(*report_lines(results), sep="\n")


def main() -> None:
    """Parse the options, and run."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.fairness", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=ATTACKS, metavar="ATTACK", help=f"of {', '.join(ATTACKS)}")
    options = parser.parse_args()
    with pinned_to({OTHER_CORE}):
        uvloop.run(run(options.only or ATTACKS))


if __name__ == "__main__":
    main()

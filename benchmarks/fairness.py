"""`python -m benchmarks.fairness`: what one address can take from another client, attack by attack.

Two instances run with their default limits on one core, each with a Redis. A client reads a game of both in turn, 50
times a second, or 8 small pictures that must be drawn, or plays against a bot; before and while another address
(`benchmarks.attacker`) sends the first instance what is expensive, as fast as it can. Nobody attacks the second, the
control: what it takes longer than before is the machine's. For each attack the table has the client's median and p99
latency, how p99 relates to the control's, the processor time that the attacker took, as a share of one core, and what
it was answered.

The attacker's processor time is that of the server and its children, less what the client's own requests took before.
An address that reads as much as it may takes about a third of a core (`--rate-requests`).
"""

import argparse
import asyncio
import sys
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from time import perf_counter
from typing import Any, NamedTuple

import msgspec
import uvloop

from benchmarks.attacker import ATTACKS, VERSIONS
from benchmarks.load_client import OK, HTTPConnection, post_request
from benchmarks.processes import OTHER_CORE, SERVER_CORE, Server, pinned_to, process, redis, service
from benchmarks.request_corpus import create, posts
from benchmarks.sample_games import lagoon, sample_game

INTERVAL_S = 0.02
PICTURE_INTERVAL_S = 0.12
"""Eight at once: a quarter of the time to draw them counts against `--rate-time`."""
CALM_S = 1.5
ATTACK_S = 8.0
EXPERTS_ATTACK_S = 40.0
"""A bot's answer takes some tenths of a second."""
POLL_S = 0.005
WIDTHS = range(200, 1_000)
"""Widths of the client's pictures of one attack: each must be drawn."""


class Phase(NamedTuple):
    """What was measured in one phase: the latencies of the attacked instance and of the control, in ms."""

    attacked_ms: list[float]
    control_ms: list[float]
    cpu_s: float
    """Processor time of the attacked server and its children."""
    seconds: float


class Result(NamedTuple):
    """One attack."""

    name: str
    before: Phase
    during: Phase
    statuses: dict[str, int]

    @property
    def attacker_share(self) -> float:
        """Return the attacker's processor time as a share of one core."""
        own = self.before.cpu_s / len(self.before.attacked_ms) * len(self.during.attacked_ms)
        return max(0.0, self.during.cpu_s - own) / self.during.seconds

    def row(self) -> str:
        """Return its row of the table."""
        columns = self.before.attacked_ms, self.during.attacked_ms, self.during.control_ms
        medians, p99s = ([percentile(latencies, percent) for latencies in columns] for percent in (50, 99))
        answers = ", ".join(f"{status}: {number:,}" for status, number in sorted(self.statuses.items()))
        shown = (" / ".join(f"{value:.1f}" for value in values) for values in (medians, p99s))
        cells = self.name, *shown, f"{p99s[1] / p99s[2]:.1f}", f"{self.attacker_share:.0%}", answers
        return f"| {' | '.join(cells)} |"


HEADS = (
    "attack",
    "median before, during, control (ms)",
    "p99 (ms)",
    "p99 of the control's",
    "attacker, of one core",
    "answers",
)


def percentile(latencies_ms: list[float], percent: int) -> float:
    """Return a percentile, in ms."""
    return sorted(latencies_ms)[len(latencies_ms) * percent // 100]


async def request(connection: HTTPConnection, path: str) -> float:
    """Send a request, and return its latency in ms."""
    sent_at = perf_counter()
    response = await connection.request(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    if not response.startswith(OK):
        raise RuntimeError(response.decode(errors="replace"))
    return (perf_counter() - sent_at) * 1000


class Opponent:
    """A client that plays against an expert, one game after the other."""

    def __init__(self, connection: HTTPConnection) -> None:
        self._connection = connection
        self._path = self._token = ""

    async def play(self) -> float:
        """Act for as long as the turn lasts, and return how long the bot's answer then takes, in ms."""
        while True:
            legal = await self._read_decision()
            sent_at = perf_counter()
            body = msgspec.json.encode({"move": legal["moves"][0]["id"]})
            await self._request(post_request(f"{self._path}/actions", body, f"Authorization: Bearer {self._token}\r\n"))
            answered = await self._read_decision()
            if answered["version"] > legal["version"] + 1:
                return (perf_counter() - sent_at) * 1000

    async def _read_decision(self) -> dict[str, Any]:
        """Return the legal moves once it is this client's turn, of a new game where the last one is over."""
        legal: dict[str, Any] = {"seat": None}
        while legal["seat"] != 0:
            if self._path:
                legal = await self._request(
                    f"GET {self._path}/legal-moves HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
                )
            if legal["seat"] is None:
                body = b'{"players": [{"name": "a"}, {"bot": "expert"}], "first_seat": 0}'
                created = await self._request(post_request("/v1/games", body))
                self._path, self._token = f"/v1/games/{created['game']['id']}", created["owner_token"]
            elif legal["seat"] != 0:
                await asyncio.sleep(POLL_S)
        return legal

    async def _request(self, data: bytes) -> dict[str, Any]:
        response = await self._connection.request(data)
        if response[9:10] != b"2":
            raise RuntimeError(response.decode())
        return msgspec.json.decode(response.partition(b"\r\n\r\n")[2], type=dict[str, Any])


async def measure(servers: Sequence[Server], games: Sequence[str], name: str, address: str) -> Result:
    """Measure one attack on the first of two servers."""
    connections = [await HTTPConnection.open(server.port) for server in servers]
    opponents = [Opponent(connection) for connection in connections]
    widths, pictures, experts = iter(WIDTHS), "pictures" in name, "experts" in name
    interval_s = PICTURE_INTERVAL_S if pictures else INTERVAL_S
    attack_s = EXPERTS_ATTACK_S if experts else ATTACK_S

    async def observe(seconds: float) -> Phase:
        latencies: tuple[list[float], list[float]] = [], []
        cpu_s, started_at = servers[0].family_cpu_s(), perf_counter()
        while not latencies[0] or perf_counter() < started_at + seconds:
            sent_at, query = perf_counter(), f"/board.png?width={next(widths)}" if pictures else ""
            for connection, opponent, game, found in zip(connections, opponents, games, latencies, strict=True):
                found.append(await (opponent.play() if experts else request(connection, game + query)))
            await asyncio.sleep(max(0.0, interval_s - (perf_counter() - sent_at)))
        return Phase(*latencies, servers[0].family_cpu_s() - cpu_s, perf_counter() - started_at)

    await observe(0.0)  # the first picture waits for the process that draws
    before = await observe(attack_s / 4 if experts else CALM_S)
    arguments = (name, str(servers[0].port), games[0], address, str(attack_s))
    async with process(sys.executable, "-m", "benchmarks.attacker", *arguments, on=(OTHER_CORE,)) as attacker:
        assert attacker.stdout is not None  # noqa: S101 (it is a pipe)
        await attacker.stdout.readline()  # it begins
        during = await observe(attack_s)
        statuses = msgspec.json.decode(await attacker.stdout.read(), type=dict[str, int])
    for connection in connections:
        connection.transport.abort()
    await asyncio.sleep(CALM_S)
    return Result(name, before, during, statuses)


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
    print(f"| {' | '.join(HEADS)} |", "|" + " --- |" * len(HEADS), sep="\n")
    async with AsyncExitStack() as stack:
        urls = [await stack.enter_async_context(redis()) for _ in range(2)]
        servers = [await stack.enter_async_context(service(url, (SERVER_CORE,), ())) for url in urls]
        games = [await create_played_game(server.port) for server in servers]
        for number, name in enumerate(names, 10):
            result = await measure(servers, games, name, f"127.0.0.{number}")
            print(result.row(), flush=True)


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

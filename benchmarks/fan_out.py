"""One game's diffs to thousands of sockets, beside a loop that only writes as many bytes to each."""

from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.action import bare_server, service
from benchmarks.asked import Sample, actions, create, sample
from benchmarks.bare import MARK
from benchmarks.load import load, post
from benchmarks.processes import Server, redis
from benchmarks.results import Figure, processor_time, ratios, series
from benchmarks.run import Run
from benchmarks.watchers import TooFewFiles, Watchers, allow_sockets

GROUP = "Fan-out"
DIFF = b'"type":"diff"'
PATIENCE_S = 60.0
CEILING = (
    "a loop that writes the same bytes, one write for each diff and socket (the service may write two diffs at once)"
)
REACH_RATIO = 0.9


class Crowd(NamedTuple):
    """Who watches, and how many diffs they get in a round."""

    name: str
    title: str
    sockets: int
    diffs: int
    compressed: bool = False
    reach_ratio: float | None = REACH_RATIO


CROWDS = (
    Crowd("fan-out.1000", "diffs to 1,000 sockets", 1_000, 140),
    Crowd("fan-out.5000", "diffs to 5,000 sockets", 5_000, 40),
    Crowd("fan-out.deflate", "compressed diffs to 1,000 sockets", 1_000, 140, compressed=True, reach_ratio=None),
)


class Delivered(NamedTuple):
    """One round."""

    per_second: float
    bytes_each: float
    """What one delivery weighs on the wire."""
    cpu_us: float
    """The server's processor time for one delivery."""

    @property
    def busy(self) -> float:
        """The share of the round that the server's core was busy."""
        return self.cpu_us * self.per_second / 1e6


async def fan_out(run: Run) -> tuple[list[Figure], list[str]]:
    """Deliveries per second of each crowd."""
    figures: list[Figure] = []
    notes: list[str] = []
    one = sample()
    possible = [crowd for crowd in CROWDS if _is_possible(crowd, notes)]
    async with redis() as redis_url, service(redis_url) as ours, bare_server(redis_url, one) as bare:
        for crowd in possible:
            try:
                measured, note = await _crowd(run, crowd, one, ours, bare)
            except ConnectionError as reason:
                notes.append(f"{crowd.title}: not measured, {reason}")
            else:
                figures += measured
                notes.append(note)
    return figures, notes


def _is_possible(crowd: Crowd, notes: list[str]) -> bool:
    """Whether the system lets a process have so many sockets; says it in `notes` where not."""
    try:
        allow_sockets(crowd.sockets)
    except TooFewFiles as reason:
        notes.append(f"{crowd.title}: not measured, {reason}")
        return False
    return True


async def _crowd(run: Run, crowd: Crowd, one: Sample, ours: Server, bare: Server) -> tuple[list[Figure], str]:
    diffs = run.number(crowd.diffs)

    async def measure_ours(number: int) -> Delivered:
        game = one.games[number % len(one.games)]
        created = await create(ours, game.seed)
        requests = actions(created, game.moves[:diffs])
        return await _deliver(ours, f"/v1/games/{created.id}/ws", crowd, DIFF, [requests])

    async def measure_bare(number: int) -> Delivered:
        """With two connections, so that the next diff is there when the one before is written."""
        game = one.games[number % len(one.games)]
        sizes = game.deflated if crowd.compressed else game.diffs
        requests = [post(f"/fan-out/{size}", b"{}") for size in sizes[:diffs]]
        return await _deliver(bare, "/watch", crowd, MARK, [requests[::2], requests[1::2]])

    measured, ceilings = await run.in_turn(crowd.name, measure_ours, measure_bare)
    run.noise.expect_busy(f"the loop of {crowd.title}", [one.busy for one in ceilings])
    return _figures(crowd, measured, ceilings), _note(crowd, measured, ceilings)


async def _deliver(of: Server, path: str, crowd: Crowd, mark: bytes, requests: list[list[bytes]]) -> Delivered:
    """From the first request until every socket has everything; `requests` are those of each connection."""
    diffs = sum(map(len, requests))
    async with Watchers(of.port, path, crowd.sockets, compressed=crowd.compressed) as watchers:
        before = of.cpu_s()
        rate = await watchers.measure(diffs, mark, lambda: load(of.port, requests, PATIENCE_S))
        spent = of.cpu_s() - before
    deliveries = diffs * crowd.sockets
    return Delivered(rate, watchers.received / deliveries, spent / deliveries * 1e6)


def _figures(crowd: Crowd, measured: Sequence[Delivered], ceilings: Sequence[Delivered]) -> list[Figure]:
    rates, most = [one.per_second for one in measured], [one.per_second for one in ceilings]
    spent, least = [one.cpu_us for one in measured], [one.cpu_us for one in ceilings]
    rate = Figure(
        name=crowd.name,
        group=GROUP,
        title=crowd.title,
        unit="deliveries/s",
        measured=series(rates),
        ceiling=series(most),
        ceiling_title=CEILING,
        ratio=ratios(rates, most),
        reach_ratio=crowd.reach_ratio,
    )
    return [rate, processor_time(rate, "processor time of each", spent, least)]


def _note(crowd: Crowd, measured: Sequence[Delivered], ceilings: Sequence[Delivered]) -> str:
    """That the bytes are the same, and whether the server or those around it were the limit."""
    weights, busy = (
        [series([getattr(one, name) for one in rounds]).median for rounds in (measured, ceilings)]
        for name in ("bytes_each", "busy")
    )
    return (
        f"{crowd.title}: {weights[0]:,.0f} bytes each, {weights[1]:,.0f} in the loop; "
        f"of its core the service used {busy[0]:.0%}, the loop {busy[1]:.0%}"
    )

"""One game, many sockets: how many diffs are delivered a second, beside a loop that only writes."""

from collections.abc import Sequence
from functools import partial
from statistics import median
from typing import NamedTuple

from benchmarks.action import baseline_server
from benchmarks.load_client import post_request, send_load
from benchmarks.processes import Server, redis, service
from benchmarks.request_corpus import create, posts
from benchmarks.results import Figure
from benchmarks.run import Run
from benchmarks.sample_games import samples
from benchmarks.watcher_clients import watch_game

GROUP = "Fan-out"
TIMEOUT_S = 60.0
CEILING = (
    "a loop that writes the same bytes, one write for each diff and socket (the service may write two diffs at once)"
)


class Crowd(NamedTuple):
    """Who watches, and how many diffs they get in a round."""

    name: str
    title: str
    sockets: int
    diffs: int
    compressed: bool = False
    target: str = "0.9 of the ceiling"


CROWDS = (
    Crowd("fan-out.1000", "diffs to 1,000 sockets", 1_000, 140),
    Crowd("fan-out.5000", "diffs to 5,000 sockets", 5_000, 40),
    Crowd("fan-out.deflate", "compressed diffs to 1,000 sockets", 1_000, 140, compressed=True, target=""),
)


class Delivered(NamedTuple):
    """One round."""

    per_second: float
    message_bytes: float
    cpu_us: float
    """The server's processor time for one delivery."""
    busy: float
    """The share of the round that the server's core was busy."""


async def fan_out(run: Run) -> None:
    """Measure deliveries a second to each crowd."""
    async with redis() as redis_url, service(redis_url) as ours, baseline_server(redis_url) as bare:
        for crowd in CROWDS:
            measures = partial(_measure_service, run, crowd, ours), partial(_measure_baseline, run, crowd, bare)
            _add(run, crowd, *await run.measure_in_turn(crowd.name, *measures))


async def _measure_service(run: Run, crowd: Crowd, service: Server, number: int) -> Delivered:
    played = samples()[number % len(samples())]
    [game] = await create(service.port, [played.seed])
    requests = [*posts(game, played.moves[: run.number(crowd.diffs)])]
    return await _deliver(service, f"/v1/games/{game.id}/ws", crowd, [requests])


async def _measure_baseline(run: Run, crowd: Crowd, baseline: Server, number: int) -> Delivered:
    """With two connections, so that the next diff is there when the one before is written."""
    played = samples()[number % len(samples())]
    weights = played.deflated if crowd.compressed else played.diffs
    requests = [post_request(f"/fan-out/{size}", b"{}") for size in weights[: run.number(crowd.diffs)]]
    return await _deliver(baseline, "/watch", crowd, [requests[::2], requests[1::2]])


async def _deliver(server: Server, path: str, crowd: Crowd, requests: list[list[bytes]]) -> Delivered:
    """Measure from the first request until every socket has everything; `requests` are those of each connection."""
    diffs = sum(map(len, requests))
    async with watch_game(server.port, path, crowd.sockets, compressed=crowd.compressed) as watchers:
        before = server.cpu_s()
        rate = await watchers.measure(diffs, partial(send_load, server.port, requests, TIMEOUT_S))
        spent = server.cpu_s() - before
    deliveries = diffs * crowd.sockets
    return Delivered(rate, watchers.received_bytes / deliveries, spent / deliveries * 1e6, spent * rate / deliveries)


def _add(run: Run, crowd: Crowd, ours: Sequence[Delivered], bare: Sequence[Delivered]) -> None:
    rates, ceilings = ([one.per_second for one in rounds] for rounds in (ours, bare))
    spent, least = ([one.cpu_us for one in rounds] for rounds in (ours, bare))
    rate = Figure(
        *(crowd.name, GROUP, crowd.title, "deliveries/s", rates),
        ceiling=ceilings,
        ceiling_title=CEILING,
        target=crowd.target,
    )
    title = "processor time of each"
    run.figures += [rate, Figure(f"{crowd.name}.cpu", GROUP, title, "µs", spent, better="less", ceiling=least)]
    weights = [median(one.message_bytes for one in rounds) for rounds in (ours, bare)]
    busy = [median(one.busy for one in rounds) for rounds in (ours, bare)]
    run.notes.append(
        f"{crowd.title}: {weights[0]:,.0f} bytes each, {weights[1]:,.0f} in the loop; "
        f"of its core the service used {busy[0]:.0%}, the loop {busy[1]:.0%}"
    )

"""What single steps cost, each measured by a load that has one thing more than another."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import aclosing

from redis.asyncio import Redis

from benchmarks.asked import actions, create
from benchmarks.capacity.model import Costs
from benchmarks.capacity.trial import Place, Shape, Took, place, trial
from benchmarks.load import load
from benchmarks.sample import SampleGame
from benchmarks.watchers import Watchers, allow_sockets

GAMES = 64
SOCKETS = 8
"""Of each game, where a delivery is measured."""
RATE = 600.0
SECONDS = 4.0
WEIGHED = 24
"""Games whose memory in Redis is measured."""
IDLE_SOCKETS = 1_000
WHOLE_S = 60.0

_KEY = re.compile(r"south-seas:\{(?P<game>[^}]+)\}:(?P<kind>\w+)(:.*)?")


async def calibrate(played: Sequence[SampleGame], tell: Callable[[str], None]) -> Costs:
    """The costs, on this machine, now."""
    async with place(2) as where:
        tell("calibrating: memory")
        instance_bytes, socket_bytes = await _memory(where, played[0])
        weight = await _weigh(where, played)

        async def measure(title: str, shape: Shape) -> Took:
            tell(f"calibrating: {title}")
            return await trial(where, shape, played, SECONDS)

        await measure("warming up", Shape(2, GAMES, RATE))
        alone = await measure("actions at one instance", Shape(1, GAMES, RATE))
        watched = await measure(f"{SOCKETS} sockets there", Shape(1, GAMES, RATE, SOCKETS))
        beside = await measure("an instance beside it", Shape(2, GAMES, RATE, act_at=0))
        follows = await measure("a socket there", Shape(2, GAMES, RATE, 1, act_at=0, watch_at=1))
        turns = await measure("players at both", Shape(2, GAMES, RATE))
    action, delivery = _service_us(alone), (_service_us(watched) - _service_us(alone)) / SOCKETS
    return Costs(
        action_us=action,
        reload_us=_more(_service_us(turns), _service_us(beside)) / turns.moved,
        delivery_us=delivery,
        hint_us=_more(_service_us(beside), action),
        follow_us=_more(_service_us(follows), _service_us(beside) + delivery),
        redis_action_us=_redis_us(alone),
        redis_reload_us=_more(_redis_us(turns), _redis_us(beside)) / turns.moved,
        redis_hint_us=_more(_redis_us(beside), _redis_us(alone)),
        redis_follow_us=_more(_redis_us(follows), _redis_us(beside)),
        client_us=alone.each_us(alone.client_s),
        diff_bytes=watched.received_bytes / len(watched.seconds) / SOCKETS,
        snapshot_bytes=weight["game"],
        log_bytes=weight["log"],
        answers_bytes=weight["answer"],
        socket_bytes=socket_bytes,
        instance_bytes=instance_bytes,
    )


def _service_us(took: Took) -> float:
    return took.each_us(sum(took.service_s))


def _redis_us(took: Took) -> float:
    return took.each_us(took.redis_s)


def _more(this: float, than: float) -> float:
    """What one load costs more than another; noise may make it less than nothing."""
    return max(0.0, this - than)


async def _memory(where: Place, game: SampleGame) -> tuple[float, float]:
    """Bytes of an instance that has done hardly anything, and of an idle socket."""
    allow_sockets(IDLE_SOCKETS)
    server = where.servers[1]
    path = f"/v1/games/{(await create(where.servers[0], game.seed)).id}/ws"
    async with Watchers(server.port, path, 1):
        before = server.rss_bytes()
        async with Watchers(server.port, path, IDLE_SOCKETS):
            return before, (server.rss_bytes() - before) / IDLE_SOCKETS


async def _weigh(where: Place, played: Sequence[SampleGame]) -> Counter[str]:
    """Bytes in Redis of one finished game, by kind of key."""
    server = where.servers[0]
    made = [(await create(server, game.seed), game) for game in played[:WEIGHED]]
    ids = {created.id for created, _ in made}
    await load(server.port, [actions(created, game.moves) for created, game in made], WHOLE_S)
    weight: Counter[str] = Counter()
    async with aclosing(Redis.from_url(where.redis_url, decode_responses=True)) as asking:
        async for key in asking.scan_iter(count=1_000):
            if (found := _KEY.fullmatch(key)) and found["game"] in ids:
                weight[found["kind"]] += await asking.memory_usage(key, samples=0) or 0
    return Counter({kind: round(size / len(made)) for kind, size in weight.items()})

"""The budget of an action by stage: shares of the service's time by cProfile, which makes calls dearer than they are.

What uvloop and the kernel do between two calls of Python is not in it.
"""

import asyncio
import pstats
import re
import signal
import sys
import tempfile
from collections import defaultdict
from math import inf
from pathlib import Path

from benchmarks.action import SETTLING_TIME_S
from benchmarks.load_client import send_load
from benchmarks.processes import HIGH_LIMITS, process, read_port, redis
from benchmarks.request_corpus import prepare
from benchmarks.results import Figure
from benchmarks.run import Run

WARM_UP = 20
DURATION_S = 4.0
PROFILED = """
import cProfile, signal, sys
out, *sys.argv = sys.argv[1:]
profile = cProfile.Profile()
signal.signal(signal.SIGUSR1, lambda *_: profile.enable())
signal.signal(signal.SIGUSR2, lambda *_: (profile.dump_stats(out), print('profiled', flush=True)))
from service.main import main
main()
"""
STAGES = {
    "zstd": "[Zz]std",
    "JSON and snapshots: msgspec": "msgspec",
    "redis-py and hiredis": "/redis/|hiredis",
    "aiohttp, multidict, yarl": "/(aiohttp|multidict|yarl|propcache|frozenlist)/",
    "event loop: asyncio, uvloop": "/asyncio/|uvloop|contextvars",
    "metrics, logs, traces": "/service/telemetry/|/prometheus_client/|/logging/|/opentelemetry/",
    "HTTP of the service": "/service/(web|fair_queue|supervision)",
    "rules": "/service/engine/",
    "the game's commands, diffs, cache": "/(service/(games|i18n)|schemas)/",
    "store": "/service/store/",
}
"""What the file of a function matches, or its name if it is in C; other functions in C count where they are called."""

Function = tuple[str, int, str]


def stage_of(function: Function) -> str | None:
    """Return the stage of a function; none has what is in C and of no library."""
    file, _, name = function
    text = name if file == "~" else file
    return next((stage for stage, pattern in STAGES.items() if re.search(pattern, text)), None)


async def stages(run: Run) -> None:
    """Profile a service under the load of the actions."""
    run.report("stages: profiling the service")
    with tempfile.TemporaryDirectory(prefix="south-seas-") as directory:
        out = Path(directory, "profile")
        flags = ("south-seas", "serve", "--port", "0", "--log-level", "error", *HIGH_LIMITS)
        async with (
            redis() as redis_url,
            process(sys.executable, "-c", PROFILED, str(out), *flags, "--redis-url", redis_url) as service,
        ):
            port = await read_port(service)
            requests = await prepare(port)
            await send_load(port, [game[:WARM_UP] for game in requests], inf)
            await asyncio.sleep(SETTLING_TIME_S)
            service.send_signal(signal.SIGUSR1)
            await send_load(port, [game[WARM_UP:] for game in requests], run.seconds(DURATION_S))
            service.send_signal(signal.SIGUSR2)
            assert service.stdout is not None  # noqa: S101 (it is a pipe)
            while b"profiled" not in await service.stdout.readline():
                pass
        for stage, share in sorted(_shares(out).items(), key=lambda item: -item[1]):
            name = f"stages.{stage.partition(':')[0].partition(',')[0].replace(' ', '-')}"
            run.figures.append(Figure(name, "Where an action's time goes", stage, "%", [share], better="less"))


def _shares(profile: Path) -> dict[str, float]:
    """Return the percentage of each stage."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for function, (_, _, own_s, _, callers) in pstats.Stats(str(profile)).stats.items():  # type: ignore[attr-defined]
        stage = stage_of(function)
        if stage is None and function[0] == "~":
            for caller, (_, _, caller_s, _) in callers.items():
                seconds[stage_of(caller) or "the rest"] += caller_s
        else:
            seconds[stage or "the rest"] += own_s
    total = sum(seconds.values())
    return {stage: 100 * spent / total for stage, spent in seconds.items()}

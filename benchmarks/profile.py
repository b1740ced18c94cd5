"""Where the time of one action goes: `python -m benchmarks.profile`, Markdown tables of a sampling profiler's samples.

py-spy looks at the service from outside while it serves the load of benchmarks/action.py: some hundred times a second,
halting it each time, and only while it works. A sample belongs to the innermost Python function, with what C code does
for it. With --native the functions of C libraries count by themselves.
"""

import argparse
import asyncio
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import uvloop

from benchmarks.action import Pair, pair
from benchmarks.asked import GAMES_PER_CONNECTION, bare_actions, prepare
from benchmarks.load import load
from benchmarks.processes import OTHER_CORE, Server, on_core
from benchmarks.run import Run

SPY = Path(sys.executable).parent / "py-spy"
SECONDS = 8.0
RATE = 400
"""Samples a second."""
ALONE_S = 2.0
LEAST_SHARE = 0.01
MOST_SHARE = 0.99
"""What is around everything says nothing."""

PARTS = (
    ("engine", r"service/engine/"),
    ("patch and diff", r"service/games/(patch|diffs|advancing)"),
    ("games: access, answers, context", r"service/games/"),
    ("store: commands and scripts", r"service/store/"),
    ("web: handlers, problems, fan-out", r"service/web/"),
    ("contract: encoding and decoding", r"schemas/|msgspec"),
    ("redis-py and hiredis", r"redis/|hiredis"),
    ("aiohttp and what it needs", r"aiohttp/|aiosignal|yarl|multidict|frozenlist|propcache|_http"),
    ("uvloop, asyncio and the kernel", r"uvloop|asyncio/|selectors|libuv|libc|libpthread|vdso"),
    ("the ceiling's own handler", r"benchmarks/"),
)
"""Whose a function is, by its file: the first that matches."""


class Frame(NamedTuple):
    """One function of a stack."""

    function: str
    file: str


class Profile(NamedTuple):
    """Samples by function, and by part of the program."""

    total: int
    self_functions: Counter[Frame]
    """Where it was."""
    functions: Counter[Frame]
    """Where it was, or in something that this called."""
    self_parts: Counter[str]
    parts: Counter[str]


def frames(stack: str) -> list[Frame]:
    """The functions of a line of py-spy's raw format, outermost first.

    >>> frames("run (uvloop/__init__.py:97);patch (service/games/patch.py:89)")
    [Frame(function='run', file='uvloop/__init__.py'), Frame(function='patch', file='service/games/patch.py')]
    """
    found = []
    for text in stack.split(";"):
        match = re.fullmatch(r"(.+) \((.+?)(:\d+)?\)", text)
        found.append(Frame(match[1], match[2]) if match else Frame(text, ""))
    return found


def part_of(frame: Frame) -> str:
    """Whose the function is."""
    return next((name for name, pattern in PARTS if re.search(pattern, frame.file)), "Python's library and the rest")


def profile_of(lines: Iterable[str]) -> Profile:
    """Add up the lines of py-spy's raw format: a stack and how often it was seen."""
    profile = Profile(0, Counter(), Counter(), Counter(), Counter())
    total = 0
    for line in lines:
        stack, _, number = line.rpartition(" ")
        seen, count = frames(stack), int(number)
        total += count
        profile.self_functions[seen[-1]] += count
        profile.self_parts[part_of(seen[-1])] += count
        for frame in set(seen):
            profile.functions[frame] += count
        for part in {part_of(frame) for frame in seen}:
            profile.parts[part] += count
    return profile._replace(total=total)


def report(profile: Profile, cpu_us: float) -> Iterator[str]:
    """Two tables: shares of samples, and what they come to in µs of one action's processor time `cpu_us`."""
    yield "| part of the program | self | µs of one action | with what it calls |"
    yield "|---|---:|---:|---:|"
    for part, count in profile.self_parts.most_common():
        share = count / profile.total
        yield f"| {part} | {share:.1%} | {share * cpu_us:.0f} | {profile.parts[part] / profile.total:.1%} |"
    yield ""
    yield "| function | self | with what it calls | µs of one action |"
    yield "|---|---:|---:|---:|"
    for frame, count in profile.functions.most_common():
        share = count / profile.total
        if LEAST_SHARE <= share < MOST_SHARE:
            own = profile.self_functions[frame] / profile.total
            yield f"| `{frame.function}` {frame.file} | {own:.1%} | {share:.1%} | {share * cpu_us:.0f} |"


async def _cpu_us(of: Server, requests: Sequence[Sequence[bytes]]) -> float:
    """The processor time of one action while nobody looks on: the profiler halts the server for every sample."""
    before = of.cpu_s()
    told = await load(of.port, requests, ALONE_S)
    if told.refused:
        raise RuntimeError(f"{told.refused} actions were refused")
    return (of.cpu_s() - before) / len(told.seconds) * 1e6


async def _record(of: Server, requests: Sequence[Sequence[bytes]], options: argparse.Namespace) -> Profile:
    """What py-spy saw of a server under this load."""
    with tempfile.NamedTemporaryFile() as file:
        recording = await asyncio.create_subprocess_exec(
            *(str(SPY), "record", "--pid", str(of.pid), "--format", "raw", "--output", file.name),
            *("--rate", str(RATE), "--duration", str(int(options.seconds))),
            *(("--native",) if options.native else ()),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        await load(of.port, requests, options.seconds + 1)
        _, errors = await recording.communicate()
        if recording.returncode:
            raise RuntimeError(errors.decode())
        return profile_of(file.read().decode().splitlines())


async def _requests(both: Pair, number: int, *, bare: bool) -> list[list[bytes]]:
    """Enough requests of games of their own."""
    if bare:
        return [own * 4 for own in bare_actions(both.sample.games, number)]
    return await prepare(both.ours, both.sample.games, 2 * GAMES_PER_CONNECTION)


async def _main(options: argparse.Namespace) -> None:
    async with pair(Run()) as both:
        of = both.bare if options.bare else both.ours
        cpu_us = await _cpu_us(of, await _requests(both, 0, bare=options.bare))
        profile = await _record(of, await _requests(both, 1, bare=options.bare), options)
    print(f"One action: {cpu_us:.0f} µs of processor time; {profile.total} samples.\n")
    print(*report(profile, cpu_us), sep="\n")


def main() -> None:
    """Profile and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.profile", description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--bare", action="store_true", help="the ceiling instead of the service")
    parser.add_argument("--native", action="store_true", help="C functions too")
    options = parser.parse_args()
    if not SPY.exists():
        parser.error("py-spy is not installed: .venv/bin/pip install py-spy")
    with on_core(OTHER_CORE):
        uvloop.run(_main(options))


if __name__ == "__main__":
    main()

"""The commit of an action as the store sends it, with meaningless data, and how many of them a Redis accepts."""

import asyncio
import hashlib
import os
import struct
from importlib.resources import files
from statistics import mean
from time import perf_counter
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import hiredis
from redis.asyncio import Redis

from benchmarks.sample_games import samples

SCRIPT = files("service.store.scripts").joinpath("commit.lua").read_bytes()
SCRIPT_SHA = hashlib.sha1(SCRIPT, usedforsecurity=False).hexdigest()

DIGEST = "0" * 32
ACCESS = b"x" * 300
RETENTION_S = 3600
FIELD = 16
"""The length in bytes of the name of an idempotency record."""
META = "1800000000000000"
"""The metadata of a diff without a trace."""
RESPONSE_EXTRA = 140
"""The length in bytes of an action's response without its diff."""

GAMES = 32
COMMITS = 6_000
BATCH_SIZE = 64
"""The number of commits that are sent at once."""

Value = bytes | str | int


class Sizes(NamedTuple):
    """Mean sizes of an action's snapshot and diff, in bytes."""

    snapshot: int
    diff: int


def sizes() -> Sizes:
    """Return the sizes of the sample games."""
    games = samples()
    snapshot, diff = (
        mean(map(mean, each)) for each in zip(*((game.snapshots, game.diffs) for game in games), strict=True)
    )
    return Sizes(round(snapshot), round(diff))


def keys(game: str, version: int) -> list[str]:
    """Return KEYS of commit.lua for the commit after `version`."""
    return [f"bare:{{{game}}}:game", f"bare:{{{game}}}:log", f"bare:{{{game}}}:answer:{version:064x}"]


def arguments(game: str, version: int, sizes: Sizes) -> list[Value]:
    """Return ARGV of commit.lua: one diff, with an idempotency key; `version` 0 creates the game."""
    expected: tuple[Value, Value] = (version, DIGEST) if version else ("", "")
    webhooks = ""
    access = b"" if version else ACCESS
    field = b"k" + os.urandom(FIELD - 1)
    record = struct.pack(">BBIIH16s", 1, 0, 1_800_000_000, version, 1, bytes(16))
    return [
        *(os.urandom(16).hex(), *expected, webhooks, b"s" * sizes.snapshot, access, RETENTION_S),
        *(f"bare:{{{game}}}:hints", "", 0, field, record, META, "", "", version + 1, DIGEST, DIGEST, b"d" * sizes.diff),
    ]


async def commits_per_second(redis_url: str, sizes: Sizes, number: int, commits: int = COMMITS) -> float:
    """Send prepared commits as fast as a server reads them, to several games in turn, and return the rate.

    `number` is the round's, so that each round has new games.
    """
    async with Redis.from_url(redis_url) as connection:
        await connection.script_load(SCRIPT.decode())
    requests = []
    for index in range(commits):
        version, game = index // GAMES, f"limit{number}g{index % GAMES}"
        names = keys(game, version)
        command = ("EVALSHA", SCRIPT_SHA, len(names), *names, *arguments(game, version, sizes))
        requests.append(hiredis.pack_command(command))  # type: ignore[arg-type]  # the stub declares a tuple of one
    reader, writer = await asyncio.open_unix_connection(unquote(urlsplit(redis_url).path))
    started_at = perf_counter()
    sending = asyncio.create_task(_send(writer, requests))
    for _ in range(commits):
        if (reply := await reader.readline()) != b":1\r\n":
            raise RuntimeError(f"Redis rejected a commit: {reply.decode()}")
    duration_s = perf_counter() - started_at
    await sending
    writer.close()
    await writer.wait_closed()
    return commits / duration_s


async def _send(writer: asyncio.StreamWriter, requests: list[bytes]) -> None:
    for start in range(0, len(requests), BATCH_SIZE):
        writer.write(b"".join(requests[start : start + BATCH_SIZE]))
        await writer.drain()

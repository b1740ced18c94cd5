"""The commit of one action as the store sends it, with nothing in it that means anything, and how many Redis takes."""

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
"""Bytes of the name of an idempotency key's record."""
META = "1800000000000000"
"""What goes with a diff that is not traced."""
RESPONSE_EXTRA = 140
"""What the response to an action has around its one diff."""

GAMES = 32
COMMITS = 6_000
BATCH_SIZE = 64
"""Commits that are sent before the replies to those before are read."""

Value = bytes | str | int


class Sizes(NamedTuple):
    """Mean sizes of what one action sends and stores, in bytes."""

    snapshot: int
    diff: int


def sizes() -> Sizes:
    """Return those of the sample."""
    games = samples()
    snapshot, diff = (
        mean(map(mean, each)) for each in zip(*((game.snapshots, game.diffs) for game in games), strict=True)
    )
    return Sizes(round(snapshot), round(diff))


def keys(game: str, version: int) -> list[str]:
    """Return KEYS of commit.lua, of the commit that builds on `version`."""
    return [f"bare:{{{game}}}:game", f"bare:{{{game}}}:log", f"bare:{{{game}}}:answer:{version:064x}"]


def arguments(game: str, version: int, of: Sizes) -> list[Value]:
    """Return ARGV of commit.lua: one diff, with an idempotency key; `version` 0 creates the game."""
    on: tuple[Value, Value] = (version, DIGEST) if version else ("", "")
    hooks = ""
    access = b"" if version else ACCESS
    field = b"k" + os.urandom(FIELD - 1)
    record = struct.pack(">BBIIH16s", 1, 0, 1_800_000_000, version, 1, bytes(16))
    return [
        *(os.urandom(16).hex(), *on, hooks, b"s" * of.snapshot, access, RETENTION_S, f"bare:{{{game}}}:hints", "", 0),
        *(field, record, META, "", "", version + 1, DIGEST, DIGEST, b"d" * of.diff),
    ]


async def commits_per_second(redis_url: str, of: Sizes, number: int, commits: int = COMMITS) -> float:
    """Return the commits a second that this server takes, prepared and sent as fast as it reads them.

    They are of some games in turn; `number` tells rounds apart.
    """
    async with Redis.from_url(redis_url) as connection:
        await connection.script_load(SCRIPT.decode())
    requests = []
    for index in range(commits):
        version, game = index // GAMES, f"limit{number}g{index % GAMES}"
        names = keys(game, version)
        command = ("EVALSHA", SCRIPT_SHA, len(names), *names, *arguments(game, version, of))
        requests.append(hiredis.pack_command(command))  # type: ignore[arg-type]  # its stub says a tuple of one
    reader, writer = await asyncio.open_unix_connection(unquote(urlsplit(redis_url).path))
    begin = perf_counter()
    sending = asyncio.create_task(_send(writer, requests))
    for _ in range(commits):
        if (reply := await reader.readline()) != b":1\r\n":
            raise RuntimeError(f"Redis refused a commit: {reply.decode()}")
    took = perf_counter() - begin
    await sending
    writer.close()
    await writer.wait_closed()
    return commits / took


async def _send(writer: asyncio.StreamWriter, requests: list[bytes]) -> None:
    for begin in range(0, len(requests), BATCH_SIZE):
        writer.write(b"".join(requests[begin : begin + BATCH_SIZE]))
        await writer.drain()

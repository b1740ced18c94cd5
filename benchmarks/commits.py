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
import msgspec
from redis.asyncio import Redis

from benchmarks.sample_games import samples
from service.games.ports import NO_REVISION, Revision
from service.store.log_entries import COMMIT_ID_BYTES, pack_revision

SCRIPT = files("service.store").joinpath("scripts", "commit.lua").read_bytes()
SCRIPT_SHA = hashlib.sha1(SCRIPT, usedforsecurity=False).hexdigest()

DIGEST = bytes(16)
ACCESS = b"x" * 300
RETENTION_S = 3600
FIELD_BYTES = 8
"""The length of the name of an idempotency record."""
RESPONSE_EXTRA = 140
"""The length in bytes of an action's response without its diff."""

GAMES = 32
COMMITS = 6_000
BATCH_SIZE = 64
"""The number of commits that are sent at once."""

Value = bytes | str | int


class Sizes(NamedTuple):
    """Mean sizes of an action's stored snapshot, its entry in the log, and its diff, in bytes."""

    snapshot: int
    entry: int
    diff: int


def sizes() -> Sizes:
    """Return the sizes of the sample games."""
    of_games = zip(*((game.snapshots, game.entries, game.diffs) for game in samples()), strict=True)
    return Sizes(*(round(mean(map(mean, each))) for each in of_games))


def keys(game: str) -> list[str]:
    """Return KEYS of commit.lua."""
    return [f"bare:{{{game}}}:{name}" for name in ("game", "log", "keys")]


def arguments(version: int, sizes: Sizes) -> list[Value]:
    """Return ARGV of commit.lua: one diff, with an idempotency key; `version` 0 creates the game."""
    commit_id = os.urandom(COMMIT_ID_BYTES)
    header = _ENCODER.encode(("", "", "", RETENTION_S, not version, 0, False, 1_800_000_000_000_000))
    expected = pack_revision(Revision(version, DIGEST) if version else NO_REVISION)
    record = struct.pack(">BBIIH8s", 1, 0, 1_800_000_000, version, 1, bytes(8))
    entry = commit_id + DIGEST + b"e" * (sizes.entry - COMMIT_ID_BYTES - len(DIGEST))
    snapshot, access = b"s" * sizes.snapshot, b"" if version else ACCESS
    revisions = expected, pack_revision(Revision(version + 1, DIGEST))
    return [*revisions, header, snapshot, access, os.urandom(FIELD_BYTES) + record, entry]


async def commits_per_second(redis_url: str, sizes: Sizes, number: int, commits: int = COMMITS) -> float:
    """Send prepared commits as fast as a server reads them, to several games in turn, and return the rate.

    `number` is the round's, so that each round has new games.
    """
    async with Redis.from_url(redis_url) as connection:
        await connection.script_load(SCRIPT.decode())
    requests = []
    for index in range(commits):
        version, game = index // GAMES, f"limit{number}g{index % GAMES}"
        names = keys(game)
        command = ("EVALSHA", SCRIPT_SHA, len(names), *names, *arguments(version, sizes))
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


_ENCODER = msgspec.msgpack.Encoder()


async def _send(writer: asyncio.StreamWriter, requests: list[bytes]) -> None:
    for start in range(0, len(requests), BATCH_SIZE):
        writer.write(b"".join(requests[start : start + BATCH_SIZE]))
        await writer.drain()

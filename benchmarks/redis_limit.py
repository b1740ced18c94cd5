"""What Redis alone can do: the same commits of one action, prepared, over raw connections as fast as it takes them."""

import asyncio
import hashlib
from collections.abc import Sequence
from contextlib import aclosing
from importlib.resources import files
from time import perf_counter
from urllib.parse import unquote, urlsplit

from redis.asyncio import Redis

from benchmarks.commits import Sizes, arguments, keys
from service.store.batch import Value

GAMES = 32
COMMITS = 6_000
PIECE = 64
"""Commits that are sent before the answers to those before are read."""
STORED = b":1\r\n"


async def commits_per_second(redis_url: str, sizes: Sizes, number: int, commits: int = COMMITS) -> float:
    """Commits of one action that this server does a second; `number` tells rounds apart."""
    script = files("service.store").joinpath("commit.lua").read_bytes()
    async with aclosing(Redis.from_url(redis_url)) as redis:
        digest = await redis.script_load(script.decode())
    if digest != hashlib.sha1(script, usedforsecurity=False).hexdigest():
        raise AssertionError
    requests = _requests(digest, sizes, number, commits)
    reader, writer = await asyncio.open_unix_connection(unquote(urlsplit(redis_url).path))
    begin = perf_counter()
    sending = asyncio.create_task(_send(writer, requests))
    for _ in range(commits):
        if (answer := await reader.readline()) != STORED:
            raise RuntimeError(f"Redis refused a commit: {answer.decode()}")
    took = perf_counter() - begin
    await sending
    writer.close()
    await writer.wait_closed()
    return commits / took


async def _send(writer: asyncio.StreamWriter, requests: Sequence[bytes]) -> None:
    for begin in range(0, len(requests), PIECE):
        writer.write(b"".join(requests[begin : begin + PIECE]))
        await writer.drain()


def _requests(digest: str, sizes: Sizes, number: int, commits: int) -> list[bytes]:
    """Commits of some games in turn, each building on the one before in its game."""
    requests = []
    for index in range(commits):
        version, place = divmod(index, GAMES)
        game = f"limit{number}g{place}"
        names = keys(game, version)
        requests.append(_packed("EVALSHA", digest, len(names), *names, *arguments(game, version, sizes)))
    return requests


def _packed(*command: Value) -> bytes:
    r"""A command in Redis's protocol.

    >>> _packed("GET", "a")
    b'*2\r\n$3\r\nGET\r\n$1\r\na\r\n'
    """
    words = [word if isinstance(word, bytes) else str(word).encode() for word in command]
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%b\r\n" % (len(word), word) for word in words)

"""The servers that meet: ours with a real Redis, boardgame.io and Colyseus in Node; how matches are opened on each."""

import math
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchmarks.action import ONE_ADDRESS
from benchmarks.builds import environments
from benchmarks.peers.boardgame import boardgame_matches
from benchmarks.peers.colyseus import colyseus_matches
from benchmarks.peers.matches import Match, play
from benchmarks.peers.ours import OurGame, our_matches
from benchmarks.peers.programs import FOLDER, MODULES, NotInstalled, needed, started, version_of
from benchmarks.processes import Server, redis
from benchmarks.sample import archipelago, mid_games
from service.engine import view

MATCHES = 32
MOST_PER_SECOND = 12_000
"""So many moves of ours are prepared at most."""
SHORTEST_GAME = 120
LEAD_IN = 72
"""Moves of ours that are not measured: from a game's beginning to its middle, where the peers begin."""
LEAD_IN_S = 10.0

Open = Callable[[float], Awaitable[list[Match]]]
"""Opens fresh matches, good for so many seconds."""


class Contender(NamedTuple):
    """One server, and how it is played on."""

    key: str
    of: str
    server: Server
    open: Open
    paced: bool = True
    """Whether it is measured at half of its maximum too."""

    def __hash__(self) -> int:
        return hash(self.key)


class Peer(NamedTuple):
    """A server in Node."""

    key: str
    package: str
    program: str
    how: str
    told: str
    open: Callable[[int, int], Awaitable[list[Match]]]
    paced: bool = True


PEERS = (
    Peer("boardgame", "boardgame.io", "boardgame.mjs", "whole", "", boardgame_matches),
    Peer("boardgame-patches", "boardgame.io", "boardgame.mjs", "patches", " with deltaState", boardgame_matches),
    Peer("colyseus", "@colyseus/core", "colyseus.mjs", "at-once", " with broadcastPatch()", colyseus_matches),
    Peer("colyseus-50-ms", "@colyseus/core", "colyseus.mjs", "every-50-ms", "", colyseus_matches, paced=False),
)
OURS = ("post", "socket")
BESIDE = "boardgame"
"""Whom ours is compared with: boardgame.io as it is set up by default, which is also its faster way."""


def check(node: Path, build: str) -> None:
    """Raise NotInstalled where one of them could not be started."""
    needed(MODULES, node)
    if build not in environments():
        raise NotInstalled(f"there is no {build} build of the engine: `make compiled test-compiled` makes one")


@asynccontextmanager
async def contenders(node: Path, build: str, games: Sequence[OurGame]) -> AsyncIterator[list[Contender]]:
    """All of them, started; ours first, with that build of the engine."""
    async with AsyncExitStack() as stack:
        position = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "position.json"
        position.write_bytes(mid_game())
        url = await stack.enter_async_context(redis())
        ours = await stack.enter_async_context(_ours(url, environments()[build]))
        found = [
            Contender("post", "South Seas by POST", ours, partial(_our_matches, ours.port, games, by_post=True)),
            Contender(
                "socket", "South Seas by WebSocket", ours, partial(_our_matches, ours.port, games, by_post=False)
            ),
        ]
        for peer in PEERS:
            program = (node, FOLDER / peer.program, position, peer.how)
            server = await stack.enter_async_context(started(program, {"NODE_ENV": "production"}))
            of = f"{peer.package} {version_of(peer.package)}{peer.told}"
            found.append(Contender(peer.key, of, server, partial(_peer_matches, peer, server.port), peer.paced))
        yield found


def mid_game() -> bytes:
    """GAME in the middle of a random game, as JSON: the state that the peers keep."""
    tables = archipelago().tables
    return msgspec.json.encode(view(tables, mid_games(tables, 1)[0]))


@asynccontextmanager
async def _ours(redis_url: str, environment: Mapping[str, str]) -> AsyncIterator[Server]:
    """The service as `south-seas serve` runs it."""
    program = (sys.executable, "-m", "service.main", "serve")
    flags = ("--port", "0", "--redis-url", redis_url, "--log-level", "error")
    async with started((*program, *flags, *ONE_ADDRESS), environment) as server:
        yield server


async def _our_matches(port: int, games: Sequence[OurGame], seconds: float, *, by_post: bool) -> list[Match]:
    each = math.ceil((seconds * MOST_PER_SECOND / MATCHES + LEAD_IN) / SHORTEST_GAME)
    matches = await our_matches(port, MATCHES, games, each, by_post=by_post)
    await play(matches, LEAD_IN_S, most=LEAD_IN)
    return matches


async def _peer_matches(peer: Peer, port: int, _: float) -> list[Match]:
    return await peer.open(port, MATCHES)

"""Tables: games of several kinds, who plays them and who watches."""

import asyncio
import secrets
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from south_seas import Client
from south_seas.models import Created, CreateGame, SeatRequest
from tests.chaos.client_context import ClientContext, SessionState
from tests.chaos.game_checker import GameChecker
from tests.chaos.history import GamePlayed
from tests.chaos.players import HTTPPlayer, Player
from tests.chaos.socket_player import SocketPlayer
from tests.chaos.subscribers import SocketSubscriber, StreamSubscriber

__all__ = ["SCENARIOS", "Scenario", "play", "play_games"]

DELIVERY_TIMEOUT_S = 20.0

ANA, BO, BOT = SeatRequest(name="Ana"), SeatRequest(name="Bo"), SeatRequest(bot="greedy")


class Scenario(NamedTuple):
    """How a game is played."""

    name: str
    request: CreateGame


SCENARIOS = (
    Scenario("one owner, guarded", CreateGame(players=[ANA, BO])),
    Scenario("two sockets", CreateGame(players=[ANA, BO])),
    Scenario("rivals", CreateGame(players=[ANA, BO])),
    Scenario("one owner, unguarded, and a bot", CreateGame(players=[ANA, BOT])),
    Scenario("an absent player", CreateGame(players=[ANA, BO], turn_timeout_s=1)),
)


async def play_games(world: ClientContext, judge: GameChecker, number: int, kinds: Sequence[Scenario]) -> None:
    """Play one game after the other at a table, until no new one is to be begun; each is judged when it is over."""
    games = 0
    while games == 0 or not world.over.is_set():
        history = judge.open()
        await play(world._replace(history=history), f"t{number}g{games}", kinds[(number + games) % len(kinds)])
        await judge.close(history)
        games += 1


async def play(world: ClientContext, name: str, kind: Scenario) -> None:
    """Play a new game to its end, before watchers of each sort."""
    client = Client(world.url, session=world.session, backoff=world.backoff)
    created = await client.create(kind.request, key=secrets.token_hex(32))
    game = created.game.id
    world.history.add(GamePlayed(game=game, kind=kind.name))
    table = SessionState()
    watchers = (
        SocketSubscriber(world, table, f"{name}-socket", game),
        StreamSubscriber(world, table, f"{name}-stream", game),
    )
    watching = [asyncio.create_task(watcher.run()) for watcher in watchers]
    try:
        async with asyncio.TaskGroup() as group:
            for player in _players(world, table, name, kind, created):
                group.create_task(player.run())
        table.over = True
        await _wait_for_delivery((await client.legal_moves(game)).digest, watchers)
    finally:
        for task in watching:
            task.cancel()
        await asyncio.wait(watching)


async def _wait_for_delivery(digest: str, watchers: Sequence[SocketSubscriber | StreamSubscriber]) -> None:
    """Give the watchers the time to hear of this end; who has not then is found by the checker."""
    with suppress(TimeoutError):
        async with asyncio.timeout(DELIVERY_TIMEOUT_S):
            while {watcher.copy.digest for watcher in watchers} != {digest}:  # noqa: ASYNC110  nobody is told
                await asyncio.sleep(0.05)


def _players(world: ClientContext, table: SessionState, name: str, kind: Scenario, created: Created) -> list[Player]:
    game, owner = created.game.id, created.owner_token
    tokens = {seat.seat: seat.token for seat in created.seats}
    match kind.name:
        case "two sockets":
            return [SocketPlayer(world, table, f"{name}-p{seat}", game, token, seat) for seat, token in tokens.items()]
        case "rivals":
            return [
                HTTPPlayer(world, f"{name}-{sort}", game, owner, guarded=sort == "guarded", seat=None)
                for sort in ("guarded", "unguarded")
            ]
        case "an absent player":
            return [HTTPPlayer(world, f"{name}-p0", game, tokens[0], guarded=False, seat=0)]
        case "one owner, unguarded, and a bot":  # a bot may be late, and nobody acts for it
            return [HTTPPlayer(world, f"{name}-owner", game, owner, guarded=False, seat=0)]
        case _:
            return [HTTPPlayer(world, f"{name}-owner", game, owner, guarded=True, seat=None)]

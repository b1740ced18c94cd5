"""Scenarios: who plays a game, and how; two subscribers watch each game."""

import asyncio
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from south_seas import Client, NotFoundError
from south_seas.models import Created, CreateGame, SeatRequest
from tests.polling import in_background
from verification.chaos.client_context import ClientContext, GameEnd
from verification.chaos.game_checker import GameChecker
from verification.chaos.history import GameCreated
from verification.chaos.players import HTTPPlayer, Player
from verification.chaos.socket_player import SocketPlayer
from verification.chaos.subscribers import SocketSubscriber, StreamSubscriber

DELIVERY_TIMEOUT_S = 60.0

ANA, BO, BOT = SeatRequest(name="Ana"), SeatRequest(name="Bo"), SeatRequest(bot="greedy")


class Scenario(NamedTuple):
    """How a game is played."""

    name: str
    request: CreateGame


SCENARIOS = (
    Scenario("owner with If-Match", CreateGame(players=[ANA, BO])),
    Scenario("two sockets", CreateGame(players=[ANA, BO])),
    Scenario("concurrent owners", CreateGame(players=[ANA, BO])),
    Scenario("owner against a bot", CreateGame(players=[ANA, BOT])),
    Scenario("absent player", CreateGame(players=[ANA, BO], turn_timeout_s=1)),
)


async def play_games(context: ClientContext, checker: GameChecker, number: int, scenarios: Sequence[Scenario]) -> None:
    """Play one game after the other, and check each when it is over."""
    games = 0
    while games == 0 or not context.is_ending.is_set():
        history = checker.open_history()
        scenario = scenarios[(number + games) % len(scenarios)]
        await _play_game(context._replace(history=history), f"s{number}g{games}", scenario)
        await checker.check_history(history)
        games += 1


async def _play_game(context: ClientContext, name: str, scenario: Scenario) -> None:
    """Create a game and play it to its end, with one subscriber of each type."""
    invoked_at = time.monotonic()
    client = Client(context.url, session=context.session, backoff=context.backoff)
    created = await client.create(scenario.request, key=secrets.token_hex(32))
    game = created.game.id
    context.history.add(GameCreated(game=game, scenario=scenario.name, invoked_at=invoked_at))
    end = GameEnd()
    subscribers = (
        SocketSubscriber(context, end, f"{name}-socket", game),
        StreamSubscriber(context, end, f"{name}-stream", game),
    )
    async with in_background(*(subscriber.run() for subscriber in subscribers)):
        async with asyncio.TaskGroup() as group:
            for player in _create_players(context, end, name, scenario, created):
                group.create_task(player.run())
        end.is_over = True
        with suppress(NotFoundError):
            await _wait_for_delivery((await client.legal_moves(game)).digest, subscribers)


async def _wait_for_delivery(digest: str, subscribers: Sequence[SocketSubscriber | StreamSubscriber]) -> None:
    """Wait until the subscribers have the end of the game. After a timeout the checker reports those that have not."""
    with suppress(TimeoutError):
        async with asyncio.timeout(DELIVERY_TIMEOUT_S):
            while {subscriber.replica.digest for subscriber in subscribers} != {digest}:  # noqa: ASYNC110  a replica sets no event
                await asyncio.sleep(0.05)


def _create_players(
    context: ClientContext, end: GameEnd, name: str, scenario: Scenario, created: Created
) -> list[Player]:
    game, owner = created.game.id, created.owner_token
    tokens = {seat.seat: seat.token for seat in created.seats}
    match scenario.name:
        case "two sockets":
            return [SocketPlayer(context, end, f"{name}-p{seat}", game, token, seat) for seat, token in tokens.items()]
        case "concurrent owners":
            return [
                HTTPPlayer(context, f"{name}-if-match", game, owner, use_if_match=True, seat=None),
                HTTPPlayer(context, f"{name}-owner", game, owner, use_if_match=False, seat=None),
            ]
        case "absent player":
            return [HTTPPlayer(context, f"{name}-p0", game, tokens[0], use_if_match=False, seat=0)]
        case "owner against a bot":
            return [HTTPPlayer(context, f"{name}-owner", game, owner, use_if_match=False, seat=0)]
        case _:
            return [HTTPPlayer(context, f"{name}-owner", game, owner, use_if_match=True, seat=None)]

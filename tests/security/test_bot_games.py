"""Games that nobody plays delay no person's bots, and no address can run bots without end."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from schemas.actions import Action
from service.engine import decode_snapshot
from service.fair_queue import Requester
from service.games.bots.registry import BotProcessPool, BotRegistry, Job, load_bots
from service.games.scheduler import run_scheduler
from service.store.game_store import RedisStore
from service.supervision import Supervisor
from service.web.app_keys import CONTEXT
from service.web.limits import Limits
from tests.games.bots.fake_bots import load_fake_bot
from tests.polling import wait_until
from tests.security.limited_client import open_client_at
from tests.web.app_server import Client, serve
from tests.web.http_game import HTTPGame, create_game

HOSTILE, PERSON = "127.0.0.2", "127.0.0.1"
GAMES = 24
TIMEOUT_S = 60.0
THOUGHTFUL = [{"bot": "thoughtful"}] * 5
"""Bots that think for 0.3 s about each decision."""


class RecordingPool(BotProcessPool):
    """A process pool that records the games of its decisions."""

    def __init__(self, number: int = 1) -> None:
        super().__init__(number)
        self.games: list[str] = []
        """In the order in which the decisions began."""

    async def _run(self, job: Job, requester: Requester, started_at: float) -> Action:
        self.games.append(decode_snapshot(job.snapshot).id)
        return await super()._run(job, requester, started_at)


@asynccontextmanager
async def start_instance(store: RedisStore, limits: Limits) -> AsyncIterator[tuple[Client, RecordingPool]]:
    """Start an instance with one bot process and a running scheduler."""
    workers = RecordingPool()
    bots = BotRegistry([*load_bots(plugins=False), load_fake_bot("thoughtful")], workers)
    try:
        async with serve(store, limits, bots=bots) as client:
            work = partial(run_scheduler, client.app[CONTEXT], 0.05)
            async with Supervisor().running("scheduler", work):
                yield client, workers
    finally:
        await workers.aclose()


async def play_turn(http_game: HTTPGame) -> None:
    """Play a turn, and wait until it is the person's again."""
    async with asyncio.timeout(TIMEOUT_S):
        started_at = (await http_game.get_json())["turn"]["number"]
        while True:
            game = await http_game.get_json()
            if game["turn"]["seat"] == 0 and game["turn"]["number"] > started_at:
                return
            if game["turn"]["seat"] == 0:
                await http_game.act_successfully()
            else:
                await asyncio.sleep(0.02)


async def test_a_person_waits_for_at_most_one_decision_of_other_games(store: RedisStore) -> None:
    """Each time that the bot decides; before, every decision of eight games at a time came first."""
    async with (
        start_instance(store, Limits(rate_limits=False)) as (client, workers),
        open_client_at(client, HOSTILE) as hostile,
    ):
        for _ in range(GAMES):
            await create_game(hostile, THOUGHTFUL)
        await wait_until(lambda: len(workers.games) >= 3, TIMEOUT_S)
        game = await create_game(client, [{"name": "Ana"}, {"bot": "expert"}], first_seat=0)
        for _ in range(3):
            before = len(workers.games)
            await play_turn(game)
            decided = workers.games[before:]
            own = decided.count(game.id)
            last = len(decided) - decided[::-1].index(game.id)
            assert own > 0
            assert last - own <= own + 1


async def test_a_game_of_bots_is_finished_without_a_request(store: RedisStore) -> None:
    async with start_instance(store, Limits()) as (client, _):
        game = await create_game(client, [{"bot": "random"}, {"bot": "random"}])
        assert game.created["game"]["version"] == 1

        async def is_finished() -> bool:
            return bool((await game.get_json())["status"] == "finished")

        await wait_until(is_finished, TIMEOUT_S)

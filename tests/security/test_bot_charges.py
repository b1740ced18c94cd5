"""Bots are charged: to whoever acts before them, and to whoever creates a game of bots.

Games that nobody plays delay no person's bots, and no address can run bots without end.
"""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from secrets import token_hex
from typing import Any

import pytest

from schemas.actions import Action
from service.engine import apply_action, copy_game, decode_snapshot
from service.fair_queue import Requester
from service.games.bots.registry import BotProcessPool, BotRegistry, Job, LoadedBot, load_bots, run_bot
from service.games.scheduler import make_scheduler
from service.store.game_store import RedisStore
from service.supervision import Supervisor
from service.web.app import CONTEXT
from service.web.charge import BOT_TURN_TOKENS, HEAVY_BOT_TURN_TOKENS
from service.web.limits import Limits
from tests.engine.lockstep import lagoon_index, new_game, play_randomly
from tests.games.bots.fake_bots import load_fake_bot
from tests.polling import rounds, wait_until
from tests.security.limited_client import make_limits, open_client_at, read_status
from tests.security.request_costs import PlainClient, relative_cost
from tests.web.app_server import Client, serve
from tests.web.http_game import HTTPGame, create_game
from tests.web.watcher_client import connect_watcher

INDEX = lagoon_index()
TILES = sum(tile.count for tile in INDEX.tileset.tiles)
BOTS = {"players": [{"bot": "random"}, {"bot": "random"}]}
GAME_TOKENS = TILES * BOT_TURN_TOKENS
"""Tokens of a game of light bots: a turn for each tile."""

MAX_GETS_PER_TOKEN = 40
"""Plain GETs whose calls of functions a token of bots may stand for, at most."""


def empty_bucket(headers: Any) -> str:
    """Return which bucket is empty."""
    name, _, left = headers["RateLimit"].partition(";")
    assert left.startswith("r=0;")
    assert int(headers["Retry-After"]) > 0
    return str(name.strip('"'))


async def test_rejected_and_replayed_creations_are_not_charged(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_bot_games=GAME_TOKENS)) as client:
        bad: list[dict[str, Any]] = [
            {**BOTS, "tileset": "nowhere"},
            {"players": [{"bot": "random"}, {"bot": "nobody"}]},
        ]
        for requested in bad * 5:
            assert await read_status(await client.post("/v1/games", json=requested)) == 422
        again = {"Idempotency-Key": token_hex(32)}
        for _ in range(5):
            assert await read_status(await client.post("/v1/games", json=BOTS, headers=again)) == 201


async def test_a_rematch_of_bots_costs_as_much_as_a_new_game(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_bot_games=2 * GAME_TOKENS)) as client:
        game, created = await create_game(client, BOTS["players"]), 1
        left = rounds()
        while True:
            next(left)
            await wait_until(game.has_ended)
            answer = await game.post("/rematch")
            if answer.status != 201:
                break
            game, created = HTTPGame(client, {**game.created, **await answer.json()}), created + 1
        assert answer.status == 429
        assert empty_bucket(answer.headers) == "bot-games"
        assert 2 <= created <= 3


async def play_turns(game: HTTPGame) -> int:
    """Play the first seat's turns until one is rejected; return how many were not."""
    for number in range(100):
        turn = (await game.get_json())["turn"]["number"]
        while (await game.get_json())["turn"]["number"] == turn:
            answer = await game.act(await game.first_move())
            if answer.status == 429:
                assert empty_bucket(answer.headers) == "bots"
                return number
            assert answer.status == 200, await answer.text()
    raise AssertionError("nothing is ever refused")


async def test_an_action_is_charged_for_the_bots_that_follow(store: RedisStore) -> None:
    """What is refused leaves the game as it was; games of people alone go on."""
    quota = 10 * BOT_TURN_TOKENS
    async with serve(store, make_limits(rate_bots=quota, rate_requests=100_000)) as client:
        game = await create_game(client, [{"name": "Ana"}, {"bot": "random"}, {"bot": "random"}], first_seat=0)
        played = await play_turns(game)
        assert 3 <= played <= 6
        before = await game.get_json()
        move = await game.first_move()
        if before["turn"]["phase"] != "place_tile":
            assert (await game.act(move)).status == 429
            assert await game.get_json() == before
        people = await create_game(client)
        await people.play_randomly(Random(2), 12)


async def test_an_act_over_a_socket_is_charged_for_the_bots_that_follow(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_bots=5 * BOT_TURN_TOKENS, rate_requests=100_000)) as client:
        game = await create_game(client, [{"name": "Ana"}, {"bot": "random"}], first_seat=0)
        messages, answer = Counter[str](), {}
        async with connect_watcher(client, token=game.owner_token) as watcher:
            for number in range(100):
                move = (await game.legal_moves())[0]["id"]
                await watcher.send({"type": "act", "id": str(number), "game": game.id, "move": move})
                answer = await watcher.receive()
                messages[answer["type"]] += 1
                if answer["type"] == "error":
                    break
        assert answer["problem"]["code"] == "rate_limited"
        assert messages["ack"] >= 5


@pytest.mark.parametrize("bot", load_bots(plugins=False), ids=lambda bot: bot.info.name)
async def test_a_bots_turn_is_charged_by_its_processor_time(store: RedisStore, bot: LoadedBot) -> None:
    game = new_game(INDEX, 3, 5)
    for _ in play_randomly(INDEX, game, Random(1)):
        if game.turn_number > 30 and game.phase == "place_tile":
            break

    async def turn() -> None:
        twin = copy_game(game)
        while twin.turn_number == game.turn_number:
            apply_action(INDEX, twin, run_bot(bot.bot, INDEX, twin))

    async with (
        serve(store, make_limits(rate_requests=100_000)) as client,
        PlainClient(client) as plain,
    ):
        http_game = await create_game(client)
        dearer = await relative_cost(turn, lambda: plain.request(http_game.path))
    assert dearer / (HEAVY_BOT_TURN_TOKENS if bot.info.heavy else BOT_TURN_TOKENS) < MAX_GETS_PER_TOKEN


HOSTILE, PERSON = "127.0.0.2", "127.0.0.1"
GAMES = 24
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
            work = make_scheduler(client.app[CONTEXT], 0.05).run
            async with Supervisor().running("scheduler", work):
                yield client, workers
    finally:
        await workers.aclose()


async def play_turn(http_game: HTTPGame) -> None:
    """Play a turn, and wait until it is the person's again."""
    first = (await http_game.get_json())["turn"]["number"]

    async def is_next() -> bool:
        turn = (await http_game.get_json())["turn"]
        if turn["seat"] == 0 and turn["number"] == first:
            await http_game.act_successfully()
        return bool(turn["seat"] == 0 and turn["number"] > first)

    await wait_until(is_next)


async def test_a_person_waits_for_at_most_one_decision_of_other_games(store: RedisStore) -> None:
    """Each time that the bot decides; before, every decision of eight games at a time came first."""
    async with (
        start_instance(store, Limits(rate_limits=False)) as (client, workers),
        open_client_at(client, HOSTILE) as hostile,
    ):
        for _ in range(GAMES):
            await create_game(hostile, THOUGHTFUL)
        await wait_until(lambda: len(workers.games) >= 3)
        game = await create_game(client, [{"name": "Ana"}, {"bot": "expert"}], first_seat=0)
        for _ in range(3):
            before = len(workers.games)
            await play_turn(game)
            decided = workers.games[before:]
            own = decided.count(game.id)
            last = len(decided) - decided[::-1].index(game.id)
            assert own > 0
            assert last - own <= own + 1

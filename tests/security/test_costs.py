"""Every request and bot is charged by its time, to whoever causes it, and nobody runs bots without end."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from random import Random
from secrets import token_hex
from typing import Any, Self
from unittest.mock import AsyncMock

import pytest
from aiohttp import ClientResponse

from schemas.actions import Action
from service.engine import apply_action, copy_game, decode_snapshot
from service.fair_queue import Requester
from service.games.bots.registry import BotProcessPool, BotRegistry, Job, LoadedBot, load_bots, run_bot
from service.games.scheduler import make_scheduler
from service.store import keys
from service.store.game_store import RedisStore
from service.supervision import ProcessPool, Supervisor
from service.web import charge, connection, connection_limiter, event_stream, rate_limiter, websocket
from service.web.accounts import ACCOUNTS
from service.web.app import CONTEXT, HUB, MAX_SUGGESTED_LENGTH
from service.web.charge import BOT_TURN_TOKENS, HEAVY_BOT_TURN_TOKENS
from service.web.connection_limiter import CONNECTION_LIMITER, CONNECTION_S
from service.web.headers import MAX_LIST_ELEMENTS
from service.web.limits import Limits
from service.web.problems import MAX_TARGET_BYTES
from service.web.rate_limiter import RATE_LIMITER
from service.web.renderer import WORKER_SHARE
from tests.api_key_fixture import add_api_key, api_key_header
from tests.engine.lockstep import lagoon_index, new_game, play_randomly
from tests.games.bots.fake_bots import load_fake_bot
from tests.polling import rounds, wait_until
from tests.security.limited_client import make_limits, open_client_at, read_status
from tests.security.request_costs import CallClock, PlainClient, relative_cost
from tests.web.app_server import Client, FrozenClock, serve
from tests.web.http_game import JSON, HTTPGame, bearer_header, check_problem, create_game
from tests.web.raw_http import UPGRADE, make_head, open_connection, read_to_end
from tests.web.watcher_client import connect_watcher

LONG_GAME_VERSIONS = 200
"""Versions of a game whose first turn does not end, because every action is undone."""

UNLIMITED = 1_000_000
"""A quota that no test uses up, and that does not refill."""

MAX_UNPAID = 3
"""How many times as many calls of functions a charge may stand for as that of a plain GET does; 0.5 to 2.1 do.

What is not timed is the store's client, tasks and threads of their own, and aiohttp around the handler.
"""

MAX_GETS_PER_HEAD = 3


@asynccontextmanager
async def start_counting_instance(store: RedisStore, **more: Any) -> AsyncIterator[tuple[Client, PlainClient]]:
    """Start an instance that counts everything and rejects nothing, and a client of it."""
    size = make_limits(**{f"rate_{name}": UNLIMITED for name in ("requests", "time", "creations", "guesses")})
    async with serve(store, size._replace(**more)) as client, PlainClient(client) as plain:
        client.app[ACCOUNTS].clock = FrozenClock()
        yield client, plain


def spent_ms(client: Client) -> float:
    """Return the time that all clients have used, while the clock stands still."""
    now = FrozenClock().now
    of_addresses = [account.buckets[1] for account in client.app[ACCOUNTS].recent.recent.values()]
    of_tokens = [time for _, time in client.app[RATE_LIMITER].trusted_tokens.recent.values()]
    _, *of_key = client.app[ACCOUNTS].get("discord-bot", "key").token_buckets
    return sum(time.policy.quota - time.count_remaining(now) for time in of_addresses + of_tokens + of_key)


def record_reads(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> AsyncMock:
    """Return what is called for each read of a log, with the game, the first version and the number of diffs."""
    load_diffs = AsyncMock(wraps=store.load_diffs)
    monkeypatch.setattr(store, "load_diffs", load_diffs)
    return load_diffs


async def create_long_game(client: Client, versions: int = LONG_GAME_VERSIONS) -> HTTPGame:
    """Create a game whose first turn has many versions."""
    game = await create_game(client, seed="tides", first_seat=0)
    move, owner = await game.first_move(), bearer_header(game.owner_token)
    for _ in range((versions - 1) // 2):
        await game.act_successfully(move)
        assert (await client.post(f"{game.path}/undo", headers=owner)).status == 200
    await game.act_successfully(move)
    return game


class SocketClient(PlainClient):
    """A WebSocket client that costs little itself, since it parses no frames."""

    def __init__(self, client: Client, token: str) -> None:
        super().__init__(client)
        self._token = token

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        self._writer.write(make_head("/v1/ws", *UPGRADE, f"Authorization: Bearer {self._token}"))
        await self._reader.readuntil(b'"welcome"')
        return self

    async def send(self, **message: object) -> int:
        """Send a message and then a ping; return the bytes received up to the pong."""
        for sent in (message, {"type": "ping"}):
            text = json.dumps(sent).encode()
            self._writer.write(b"\x81\xfe" + len(text).to_bytes(2) + bytes(4) + text)
        return len(await self._reader.readuntil(b'"pong"'))


async def test_a_cached_picture_is_not_replayed(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    async with start_counting_instance(store) as (client, plain):
        game = await create_game(client, seed="kept")
        await game.play_randomly(Random(4), 30)
        path = f"{game.path}/board.png?v=12"
        first = await plain.request(path)
        assert first.status == 200
        read = record_reads(store, monkeypatch)
        assert (await plain.request(path)).status == 200
        assert (await plain.request(path, f"If-None-Match: {first.headers['etag']}")).status == 304
        assert [call.args[2] for call in read.await_args_list] == [1, 1]
        assert (await plain.request(f"{game.path}/board.png?v=13")).status == 200
        assert [call.args[2] for call in read.await_args_list] == [1, 1, 1, 13]


async def test_a_page_of_the_story_reads_only_its_diffs(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    async with start_counting_instance(store) as (client, plain):
        game = await create_game(client)
        await game.play_randomly(Random(4), 60)
        long = await create_long_game(client)
        read = record_reads(store, monkeypatch)
        late = LONG_GAME_VERSIONS - 10
        for path, since, requested in (
            (game.path, 0, (0, 5)),
            (game.path, 40, (39, 6)),
            (game.path, 58, (57, 3)),
            (long.path, late, (late - 1, 6)),
        ):
            assert (await plain.request(f"{path}/story?since={since}&limit=5")).status == 200
            read.assert_awaited_once_with(path.rpartition("/")[2], *requested)
            read.reset_mock()
        assert (await plain.request(f"{game.path}/story?since=1000")).status == 200
        read.assert_not_awaited()


CHUNKS = b"2\r\n{}\r\n" + b"1;a=b\r\n \r\n" * 900 + b"0\r\n\r\n"

Work = Callable[[], Awaitable[object]]


def make_requests(plain: PlainClient, played: HTTPGame, long: HTTPGame, mine: list[str]) -> dict[str, Work]:
    """Return requests that take longer than a plain GET, each charged to one client."""
    json_type, chunked = f"Content-Type: {JSON}", "Transfer-Encoding: chunked"
    seats = json.dumps({"players": [{"name": "a"}] * 4_000}).encode()
    tokens = f"Authorization: Bearer {', '.join(mine)}"
    return {
        "diffs": lambda: plain.request(f"{long.path}/diffs?limit=1000"),
        "story": lambda: plain.request(f"{long.path}/story?limit=1000", "Accept-Encoding: gzip"),
        "list": lambda: plain.request("/v1/games?limit=100"),
        "my games": lambda: plain.request("/v1/seats/me/games?limit=100", tokens),
        "legal moves": lambda: plain.request(f"{played.path}/legal-moves"),
        "effects": lambda: plain.request(f"{played.path}/legal-moves?effects=1"),
        "features": lambda: plain.request(f"{played.path}/features"),
        "card": lambda: plain.request(f"/games/{played.id}"),
        "scores": lambda: plain.request(f"{played.path}/scores"),
        "many seats": lambda: plain.request("/v1/games", json_type, method="POST", body=seats),
        "unwanted body": lambda: plain.request("/nowhere", json_type, method="POST", body=bytes(60_000)),
        "tiny chunks": lambda: plain.request("/v1/games", json_type, chunked, method="POST", body=CHUNKS),
    }


@pytest.fixture
def call_clock(monkeypatch: pytest.MonkeyPatch) -> CallClock:
    """Return the clock by which requests are charged."""
    clock = CallClock()
    for module in (charge, connection):
        monkeypatch.setattr(module, "perf_counter", clock)
    return clock


async def test_nobody_pays_for_a_machine_that_stood_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "perf_counter", iter((1.0, 8.0)).__next__)
    loop_time = connection.LoopTime()
    await loop_time.measure(AsyncMock()())
    assert loop_time.take() == connection.MAX_CHARGED_S


async def test_every_request_is_charged_by_its_processor_time(store: RedisStore, call_clock: CallClock) -> None:
    async with start_counting_instance(store) as (client, plain):
        long = await create_long_game(client)
        games = [await create_game(client) for _ in range(60)]
        await games[0].play_randomly(Random(3), 90)

        async def cost_of_charge(work: Work) -> float:
            await work()
            before = spent_ms(client)
            return await call_clock.measure(work) / (spent_ms(client) - before)

        async def read() -> object:
            return await plain.request(games[0].path)

        async def measure_unpaid(works: dict[str, Work]) -> dict[str, float]:
            paid = await cost_of_charge(read)
            return {name: await cost_of_charge(work) / paid for name, work in works.items()}

        unpaid = await measure_unpaid(make_requests(plain, games[0], long, [game.owner_token for game in games]))
        async with SocketClient(client, "x" * 43) as socket:
            messages: dict[str, Work] = {
                "malformed message": lambda: socket.send(type="act", game="a", move="a" * 60_000),
                "missed diffs": lambda: socket.send(type="subscribe", game=long.id, since=1),
                "snapshot": lambda: socket.send(type="subscribe", game=games[0].id),
            }
            unpaid |= await measure_unpaid(messages)
        assert max(unpaid.values()) < MAX_UNPAID, unpaid


async def test_a_picture_is_charged_by_its_workers_time(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    async def draw(_pool: ProcessPool, work: Callable[[Any], tuple[bytes, float]], job: Any, _limit_s: float) -> Any:
        return work(job)[0], 1000.0

    monkeypatch.setattr(ProcessPool, "run", draw)
    async with start_counting_instance(store) as (client, plain):
        charges = []
        game = await create_game(client)
        for _ in range(3):
            before = spent_ms(client)
            assert (await plain.request(f"{game.path}/board.svg")).status == 200
            charges.append(spent_ms(client) - before)
        drawn, *cached = charges
        assert drawn > 1_000_000 * WORKER_SHARE > max(cached)


async def test_heads_that_are_rejected_are_paid_by_their_address(store: RedisStore) -> None:
    """Its new connections are then rejected unread; a client on an open one, or at another address, does not notice."""
    lines = "a: b\r\n" * 6_000
    async with serve(store, make_limits(rate_time=60)) as client, PlainClient(client) as plain:
        game = await create_game(client)
        token = f"Authorization: Bearer {game.owner_token}"
        statuses = list[bytes]()
        while len(statuses) < 5_000 and b"429" not in statuses:
            async with open_connection(client) as (reader, writer):
                writer.write(make_head("/v1/games", lines.rstrip()))
                statuses.append((await read_to_end(reader)).split(b" ")[1])
        assert ({*statuses[:-1]}, statuses[-1]) == ({b"400"}, b"429")
        assert (await plain.request(game.path, token)).status == 200
        async with open_client_at(client, "127.0.0.2") as other:
            assert (await other.get(game.path)).status == 200


async def test_a_socket_that_is_rejected_too_long_is_closed_at_once(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_time=40)) as client, connect_watcher(client) as watcher:
        client.app[ACCOUNTS].get("127.0.0.1").charge_time(0.1)
        for _ in rounds():
            await watcher.send({"type": "act", "game": "a", "move": "a" * 60_000})
            if (await watcher.receive())["problem"]["code"] == "rate_limited":
                break
        assert await watcher.receive_close() == 4429


async def test_what_a_connection_leaves_unpaid_is_paid_by_its_address(store: RedisStore) -> None:
    """A head that never ends, for example."""
    async with start_counting_instance(store) as (client, plain):
        limiter = client.app[CONNECTION_LIMITER]
        async with open_connection(client) as (_, writer):
            writer.write(make_head("/v1/games", "a: b\r\n" * 60)[:-10])
            await writer.drain()
            await wait_until(lambda: len(limiter.connections) == 2)
        await wait_until(lambda: len(limiter.connections) == 1)
        assert spent_ms(client) > 1000 * CONNECTION_S
        assert (await plain.request("/v1/bots")).status == 200


@pytest.mark.parametrize("kind", ("ws", "diffs"))
async def test_a_silent_watcher_pays_for_what_it_is_sent(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(connection_limiter, "SWEEP_INTERVAL_S", 0.01)
    quiet = start_counting_instance(store, sse_comment_interval_s=3600.0, ping_interval_s=3600.0)
    async with quiet as (client, _), open_client_at(client, "127.0.0.2") as watcher:
        game, account = await create_game(client), client.app[ACCOUNTS].get("127.0.0.2")
        lines = UPGRADE if kind == "ws" else ("Accept: text/event-stream",)
        headers = dict(line.split(": ") for line in lines)
        async with watcher.get(f"{game.path}/{kind}", headers=headers):
            await wait_until(lambda: client.app[HUB].count_subscribers(game.id))

            for _ in range(3):  # the first may be paid with the request
                paid_at = account.buckets[1].full_at
                await game.act_successfully()
                await wait_until(lambda: account.buckets[1].full_at > paid_at)  # noqa: B023  it is waited for


async def test_a_client_pays_for_what_other_tasks_do_for_its_request(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For each game that they load, and each diff that a watcher has missed."""
    for module, name in ((rate_limiter, "LOADED_GAME_S"), (event_stream, "SENT_DIFF_S"), (websocket, "SENT_DIFF_S")):
        monkeypatch.setattr(module, name, 0.04)
    async with start_counting_instance(store) as (client, _):
        key = await add_api_key(store)
        games = [await create_game(client, headers=api_key_header(key)) for _ in range(4)]
        for _ in range(4):
            await games[0].act_successfully()
        for path, *lines in (
            ("/v1/seats/me/games", f"Authorization: Bearer {', '.join(game.owner_token for game in games)}"),
            ("/v1/keys/me/games", f"Api-Key: {key}"),
            (f"{games[0].path}/diffs?since=1", "Accept: text/event-stream"),
            (f"{games[0].path}/ws?since=1", *UPGRADE),
        ):

            def is_paid(due_ms: float = spent_ms(client) + 1000 * 4 * 0.04) -> bool:
                return spent_ms(client) >= due_ms

            async with PlainClient(client) as plain:
                await plain.request(path, *lines)
                await wait_until(is_paid)


LONG_LIST = ",".join(['"' + "a" * 28 + '"'] * MAX_LIST_ELEMENTS)
LONGEST_HEADS = (
    ("HEAD", "/docs", f"If-None-Match: {LONG_LIST}"),
    ("HEAD", "/docs", *['If-None-Match: "",' + "\t" * 900 + "," * 30] * 2),
    ("POST", "/v1/games/none/undo", f"If-Match: {LONG_LIST}"),
    *(("GET", "/v1/bots", f"{name}: {LONG_LIST}") for name in ("Accept", "Accept-Encoding", "Prefer")),
    ("GET", "/v1/bots", "Cookie: " + "a=b;" * 2_000),
    ("GET", "/v1/bots", *[f"X-Forwarded-For: {'1.1.1.1,' * 1_000}"] * 7),
    *(("GET", (part * MAX_TARGET_BYTES)[:MAX_TARGET_BYTES]) for part in ("/", "/a", "/a/..", "/.", "/%2e%2e")),
    *(("GET", (part * MAX_SUGGESTED_LENGTH)[:MAX_SUGGESTED_LENGTH]) for part in ("/a", "/game", "/v1/seat")),
    *(("GET", ("/v1/games?limit=1&" + part * 999)[:MAX_TARGET_BYTES]) for part in ("a&", "a=1&", "&", "%20")),
)


@pytest.mark.parametrize("head", LONGEST_HEADS)
async def test_no_head_takes_more_than_three_gets(store: RedisStore, head: tuple[str, ...]) -> None:
    """The longest that are admitted; before, 20 GETs were measured."""
    method, path, *lines = head
    async with start_counting_instance(store) as (client, plain):
        game = await create_game(client)

        async def ask() -> object:
            return await plain.request(path, *lines, method=method)

        assert await relative_cost(ask, lambda: plain.request(game.path)) < MAX_GETS_PER_HEAD


async def test_the_games_that_a_list_scans_are_limited(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where none of them can be told; the next page goes on there."""
    monkeypatch.setattr("service.games.queries.MAX_GAMES_SCANNED", 5)
    async with serve(store, Limits()) as client:
        for _ in range(12):
            game = await create_game(client)
            await store.unlist(game.id, "active")
            await store.client.execute("ZADD", keys.lobby("waiting"), 1_800_000_000, game.id)
        pages, query = 0, {"status": "waiting", "limit": "4"}
        for _ in rounds():
            received = await (await client.get("/v1/games", params=query)).json()
            assert received["games"] == []
            pages += 1
            if received["next_cursor"] is None:
                break
            query["cursor"] = received["next_cursor"]
        assert pages == 2  # of 8 games and of 4: each is read until 5 or more were


INDEX = lagoon_index()
TILES = sum(tile.count for tile in INDEX.tileset.tiles)
BOTS = {"players": [{"bot": "random"}, {"bot": "random"}]}
GAME_TOKENS = TILES * BOT_TURN_TOKENS
"""Tokens of a game of light bots: a turn for each tile."""

MAX_GETS_PER_TOKEN = 40
"""Plain GETs whose calls of functions a token of bots may stand for, at most."""


async def test_rejected_and_replayed_creations_are_not_charged(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_bot_games=GAME_TOKENS)) as client:
        bad: Any = ({**BOTS, "tileset": "nowhere"}, {"players": [{"bot": "random"}, {"bot": "nobody"}]})
        for requested in bad * 5:
            assert await read_status(await client.post("/v1/games", json=requested)) == 422
        again = {"Idempotency-Key": token_hex(32)}
        for _ in range(5):
            assert await read_status(await client.post("/v1/games", json=BOTS, headers=again)) == 201


async def test_a_rematch_of_bots_costs_as_much_as_a_new_game(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_bot_games=2 * GAME_TOKENS)) as client:
        game, answers = await create_game(client, BOTS["players"]), list[ClientResponse]()
        for _ in rounds():
            await wait_until(game.has_ended)
            answers.append(await game.post("/rematch"))
            if answers[-1].status != 201:
                break
            game = HTTPGame(client, {**game.created, **await answers[-1].json()})
        await check_problem(answers[-1], 429, "rate_limited")
        assert answers[-1].headers["RateLimit"].startswith('"bot-games";r=0;')
        assert 2 <= len(answers) <= 3


@pytest.mark.parametrize("by_socket", (False, True))
async def test_an_action_is_charged_for_the_bots_that_follow(store: RedisStore, *, by_socket: bool) -> None:
    """What is refused leaves the game as it was; games of people alone go on."""
    quota = 10 * BOT_TURN_TOKENS
    async with serve(store, make_limits(rate_bots=quota, rate_requests=100_000)) as client:
        game = await create_game(client, [{"name": "Ana"}, {"bot": "random"}, {"bot": "random"}], first_seat=0)
        before, code = game.created["game"], None
        async with connect_watcher(client, token=game.owner_token) as watcher:
            while code is None:
                before, move = await game.get_json(), await game.first_move()
                if by_socket:
                    await watcher.send({"type": "act", "game": game.id, **move})
                    code = (await watcher.receive()).get("problem", {}).get("code")
                else:
                    code = (await (await game.act(move)).json(content_type=None)).get("code")
        assert code == "rate_limited"
        assert await game.get_json() == before
        assert 10 <= before["turn"]["number"] <= 19  # after three to six turns of each of three
        people = await create_game(client)
        await people.play_randomly(Random(2), 12)


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

    async with serve(store, make_limits(rate_requests=100_000)) as client, PlainClient(client) as plain:
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

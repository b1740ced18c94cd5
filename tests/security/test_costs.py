"""Every request is charged by what it costs, and none costs more than its response needs."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import product
from random import Random
from typing import Self
from unittest.mock import Mock

import msgspec
import pytest

from schemas.lobby import CreateGame
from service.games.api_key import Quotas
from service.games.ports.game_store import StoredDiff
from service.store.game_store import RedisStore
from service.web.client_ip import hash_token
from service.web.headers.negotiation import MAX_LIST_ELEMENTS
from service.web.images.renderer import IMAGE_RENDERER
from service.web.limits import Limits
from service.web.ratelimit import costs
from service.web.ratelimit.limiter import RATE_LIMITER
from service.web.routes import games
from service.web.server.runner import MAX_TARGET_BYTES
from service.web.websocket import session as session_module
from tests.api_key_fixture import add_api_key, api_key_header
from tests.security.limited_client import count_admitted, make_limits
from tests.security.request_costs import CostedResponse, PlainClient, relative_cost
from tests.verification.fuzz.frames import BINARY, CLOSE, TEXT, encode_frame
from tests.web.app_server import Client, serve
from tests.web.http_game import JSON, HTTPGame, bearer_header, create_game
from tests.web.raw_http import UPGRADE, make_head, open_connection, read_to_end

LONG_GAME_VERSIONS = 200
"""Versions of a game whose first turn does not end, because every action is undone."""

UNLIMITED = 1_000_000
"""A quota that no test uses up, and that does not refill."""

MAX_GETS_PER_TOKEN = 3
"""Plain GETs whose CPU time a token may stand for, at most; 0.1 to 1.2 were measured."""

MAX_GETS_PER_PICTURE_TOKEN = 5
"""The same for a token of pictures, of which there are a quarter as many; 1.4 were measured."""

MAX_GETS_PER_MESSAGE_TOKEN = 1.5
"""The same for a token of messages, of which there are more; 0.5 were measured."""


@asynccontextmanager
async def start_counting_instance(store: RedisStore) -> AsyncIterator[tuple[Client, PlainClient]]:
    """Start an instance that counts everything and rejects nothing, and a client of it."""
    names = ("reads", "writes", "creations", "pictures", "messages")
    size = make_limits(**{f"rate_{name}": UNLIMITED for name in names}, rate_requests=10 * UNLIMITED)
    async with serve(store, size) as client, PlainClient(client) as plain:
        yield client, plain


def record_reads(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Return a list that receives the first version and the number of diffs of each read of a log."""
    read: list[tuple[int, int]] = []
    diffs = store.load_diffs

    async def counted(game: str, since: int, limit: int) -> list[StoredDiff]:
        read.append((since, limit))
        return await diffs(game, since, limit)

    monkeypatch.setattr(store, "load_diffs", counted)
    return read


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
        assert [limit for _, limit in read] == [1, 1]
        assert (await plain.request(f"{game.path}/board.png?v=13")).status == 200
        assert [limit for _, limit in read] == [1, 1, 1, 13]


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
            assert read == [requested]
            read.clear()
        assert (await plain.request(f"{game.path}/story?since=1000")).status == 200
        assert read == []


async def test_every_request_is_charged_by_its_processor_time(store: RedisStore) -> None:
    """What is left, as the answers say, goes down with what they took, the compression too."""
    async with start_counting_instance(store) as (client, plain):
        long = await create_long_game(client)
        played = [await create_game(client) for _ in range(60)]
        await played[0].play_randomly(Random(3), 90)
        owner, game = f"Authorization: Bearer {long.owner_token}", f"Authorization: Bearer {played[0].owner_token}"
        mine = f"Authorization: Bearer {', '.join(http_game.owner_token for http_game in played)}"
        versions = iter(range(LONG_GAME_VERSIONS - 1, 1, -1))
        requests: tuple[Callable[[], tuple[str, ...]], ...] = (
            lambda: (f"{long.path}/diffs?limit=1000", owner),
            lambda: (f"{long.path}/story?limit=1000", owner),
            lambda: ("/v1/games?limit=100",),
            lambda: ("/v1/seats/me/games?limit=100", mine),
            lambda: ("/v1/seats/me/games?waiting=false", mine),
            lambda: (f"{played[0].path}/legal-moves", game),
            lambda: (f"{played[0].path}/legal-moves?q=zzz", game),
            lambda: (f"{played[0].path}/scores", game),
            lambda: (f"{played[0].path}/tiles", game),
            lambda: ("/openapi.json",),
            lambda: (f"{long.path}/board.svg?v={next(versions)}", owner),
        )
        for request, coding in product(requests, ("identity", "gzip")):

            async def question() -> CostedResponse:
                return await plain.request(*request(), f"Accept-Encoding: {coding}")  # noqa: B023  it is awaited here

            await question()
            before, after = (await question()).remaining, (await question()).remaining
            dearer = await relative_cost(question, lambda: plain.request(played[0].path, game), times=2)
            path, *_ = request()
            limit = MAX_GETS_PER_PICTURE_TOKEN if "board.svg" in path else MAX_GETS_PER_TOKEN
            assert dearer / (before - after) < limit, (path, coding)


async def test_undo_is_charged_by_the_replayed_diffs(store: RedisStore) -> None:
    async with start_counting_instance(store) as (client, plain):
        game = await create_long_game(client, 100)
        owner = f"Authorization: Bearer {game.owner_token}"
        seat = f"Content-Type: {JSON}", b'{"seat":0}'
        before = await plain.request(f"{game.path}/return", owner, seat[0], method="POST", body=seat[1])
        undone = await plain.request(f"{game.path}/undo", owner, method="POST")
        in_vain = await plain.request(f"{game.path}/undo", owner, method="POST")
        assert [answer.status for answer in (before, undone, in_vain)] == [409, 200, 409]
        assert before.remaining - undone.remaining == 1 + 100 // 20
        assert undone.remaining - in_vain.remaining == 1


async def test_the_replies_to_socket_messages_are_charged(store: RedisStore) -> None:
    """A whole log, nothing of it, the whole game."""
    async with start_counting_instance(store) as (client, plain):
        game = await create_long_game(client)
        lease = client.app[RATE_LIMITER].messages.pool.get_or_create(hash_token(game.owner_token))
        owner = f"Authorization: Bearer {game.owner_token}"
        async with SocketClient(client, game.owner_token) as session:
            await session.send(type="auth", game=game.id, token=game.owner_token)
            questions: dict[str, Callable[[], Awaitable[int]]] = {
                "log": lambda: session.send(type="subscribe", game=game.id, since=1),
                "nothing new": lambda: session.send(type="subscribe", game=game.id, since=LONG_GAME_VERSIONS),
                "game": lambda: session.send(type="subscribe", game=game.id),
                "sync": lambda: session.send(type="sync", game=game.id),
            }
            result = {}
            for name, question in questions.items():
                before, size = lease.remaining, await question()
                charged = before - lease.remaining
                dearer = await relative_cost(question, lambda: plain.request(game.path, owner))
                result[name] = size, charged, dearer / charged
        assert result["log"][0] > 50_000
        assert result["log"][1] >= LONG_GAME_VERSIONS // 20
        assert max(each for _, _, each in result.values()) < MAX_GETS_PER_MESSAGE_TOKEN, result


async def test_a_message_is_charged_by_its_kind_and_its_reply(store: RedisStore) -> None:
    async with start_counting_instance(store) as (client, _):
        game = await create_game(client)
        await game.play_randomly(Random(3), 50)
        lease = client.app[RATE_LIMITER].messages.pool.get_or_create(hash_token(game.owner_token))
        async with SocketClient(client, game.owner_token) as session:
            for kind, more, tokens in (
                ("auth", {"token": game.owner_token}, costs.AUTH_MESSAGE),
                ("subscribe", {"since": 50}, costs.SUBSCRIBE_MESSAGE),
                ("subscribe", {"since": 1}, costs.SUBSCRIBE_MESSAGE + 49 // costs.DIFFS_TO_SOCKET_PER_TOKEN),
                ("subscribe", {}, costs.SUBSCRIBE_MESSAGE + costs.SNAPSHOT_MESSAGE),
                ("sync", {}, costs.SUBSCRIBE_MESSAGE + costs.SNAPSHOT_MESSAGE),
                ("unsubscribe", {}, 1),
            ):
                before = lease.remaining
                await session.send(type=kind, game=game.id, **more)
                assert before - lease.remaining == tokens + 1, (kind, more)  # and the ping


async def test_the_missed_diffs_of_an_event_stream_are_charged(store: RedisStore) -> None:
    async with start_counting_instance(store) as (client, _):
        game = await create_game(client)
        await game.play_randomly(Random(3), 110)
        headers = {**bearer_header(game.owner_token), "Accept": "text/event-stream"}
        lease = client.app[RATE_LIMITER].reads.pool.get_or_create(hash_token(game.owner_token))
        for query, tokens in (("?since=110", 1), ("?since=1", 1 + 109 // 50)):
            before = lease.remaining
            async with client.get(f"{game.path}/diffs{query}", headers=headers) as stream:
                assert stream.status == 200
                assert before - lease.remaining == tokens


LONG_LIST = ",".join(['"' + "a" * 28 + '"'] * MAX_LIST_ELEMENTS)
LONGEST_HEADS = (
    ("HEAD", "/docs", f"If-None-Match: {LONG_LIST}"),
    ("HEAD", "/docs", *['If-None-Match: "",' + "\t" * 900 + "," * 30] * 2),
    ("POST", "/v1/games/none/undo", f"If-Match: {LONG_LIST}"),
    *(("GET", "/v1/bots", f"{name}: {LONG_LIST}") for name in ("Accept", "Accept-Encoding", "Prefer")),
    ("GET", "/v1/bots", "Cookie: " + "a=b;" * 2_000),
    ("GET", "/v1/bots", *[f"X-Forwarded-For: {'1.1.1.1,' * 1_000}"] * 7),
    *(("GET", (part * MAX_TARGET_BYTES)[:MAX_TARGET_BYTES]) for part in ("/", "/a", "/a/..", "/.", "/%2e%2e")),
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

        assert await relative_cost(ask, lambda: plain.request(game.path)) < MAX_GETS_PER_TOKEN


LONG_BODIES: dict[str, tuple[str, bytes]] = {
    "malformed": ("/v1/games", json.dumps({"players": [{"name": "a" * 60_000}]}).encode()),
    "many seats": ("/v1/games", json.dumps({"players": [{"name": "a"}] * 4_000}).encode()),
    "unwanted": ("/v1/games/none/nothing", b"a" * 60_000),
}


@pytest.mark.parametrize("name", LONG_BODIES)
async def test_a_request_is_charged_by_its_bytes(store: RedisStore, name: str) -> None:
    """A rejected creation gives nothing of it back."""
    path, body = LONG_BODIES[name]
    async with start_counting_instance(store) as (client, plain):
        game = await create_game(client)

        async def ask() -> CostedResponse:
            return await plain.request(path, f"Content-Type: {JSON}", method="POST", body=body)

        first, second = await ask(), await ask()
        charged = first.remaining - second.remaining
        assert first.status in {400, 404}
        assert 0 <= charged - (1 + len(body) // costs.RECEIVED_BYTES_PER_TOKEN) <= 1
        assert await relative_cost(ask, lambda: plain.request(game.path), times=2) / charged < MAX_GETS_PER_TOKEN


@pytest.mark.parametrize("path", ("/v1/games", "/nowhere"))
async def test_tiny_chunks_are_charged_by_their_bytes(store: RedisStore, path: str) -> None:
    chunks = b"2\r\n{}\r\n" + b"1;a=b\r\n \r\n" * 900 + b"0\r\n\r\n"
    async with start_counting_instance(store) as (_, plain):
        answers = [
            await plain.request(path, f"Content-Type: {JSON}", "Transfer-Encoding: chunked", method="POST", body=chunks)
            for _ in range(2)
        ]
        assert answers[0].remaining - answers[1].remaining >= len(chunks) // costs.RECEIVED_BYTES_PER_TOKEN


async def test_bytes_are_charged_before_they_are_decoded(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    decoder, left_when_decoded = msgspec.json.Decoder(CreateGame), []
    async with start_counting_instance(store) as (client, plain):
        lease = client.app[RATE_LIMITER].writes.pool.get_or_create("127.0.0.1")

        class RecordingDecoder:
            def decode(self, body: bytes) -> CreateGame:
                left_when_decoded.append(lease.remaining)
                return decoder.decode(body)

        monkeypatch.setattr(games.create_game.decoder, "body", RecordingDecoder())
        answer = await plain.request("/v1/games", f"Content-Type: {JSON}", method="POST", body=b" " * 60_000 + b"{}")
        assert (answer.status, left_when_decoded) == (400, [answer.remaining])
        assert UNLIMITED - answer.remaining >= 15


async def test_a_response_is_charged_by_its_bytes(store: RedisStore) -> None:
    async with start_counting_instance(store) as (_, plain):
        page = await plain.request("/openapi.json")
        after = await plain.request("/v1/bots")
        assert page.size > 200_000
        assert UNLIMITED - page.remaining == 1 + page.size // 65_536
        assert page.remaining - after.remaining == 1


async def test_large_pictures_cost_more_than_small_ones(store: RedisStore) -> None:
    async with start_counting_instance(store) as (client, plain):
        game = await create_game(client)
        owner = f"Authorization: Bearer {game.owner_token}"
        small = await plain.request(f"{game.path}/board.png?width=300", owner)
        large = await plain.request(f"{game.path}/board.png?width=4096", owner)
        again = await plain.request(f"{game.path}/board.png?width=4096", owner)
        assert small.remaining - large.remaining > 40
        assert large.remaining - again.remaining <= 1 + again.size // 65_536
        assert client.app[IMAGE_RENDERER].cache_bytes > 0


async def test_less_than_a_tokens_worth_of_work_costs_nothing_more(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each request has nearly two tokens' worth of versions, access tokens or lines, and costs one more."""
    monkeypatch.setattr(costs, "PATCHED_VERSIONS_PER_TOKEN", 10)
    monkeypatch.setattr(costs, "DIFFS_PER_TOKEN", 10)
    async with start_counting_instance(store) as (client, plain):
        game = await create_game(client)
        await game.play_randomly(Random(4), 30)
        owner = f"Authorization: Bearer {game.owner_token}"
        mine = ("/v1/seats/me/games", f"{owner}{', unknown' * (2 * costs.ACCESS_TOKENS_PER_TOKEN - 2)}")
        past = [(f"{game.path}/board.svg?v={version}", owner) for version in (17, 18, 19)]
        logs = [[(f"{game.path}/{kind}?limit=19", owner)] * 3 for kind in ("diffs", "story")]
        paths = {2: [[mine] * 3, *logs], 2 + costs.RENDERED_PICTURE: [past]}
        for tokens, (first, *others) in ((tokens, one) for tokens, ones in paths.items() for one in ones):
            before = (await plain.request(*first)).remaining
            spent = [before - (await plain.request(*other)).remaining for other in others]
            assert spent == [tokens, 2 * tokens], first


async def test_a_request_is_charged_before_its_work(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not after it: else as many at once as there are connections would all be done."""
    monkeypatch.setattr(costs, "DIFFS_PER_TOKEN", 1)
    async with serve(store, make_limits(rate_reads=100)) as client:
        game = await create_game(client)
        await game.play_randomly(Random(3), 41)
        read = record_reads(store, monkeypatch)
        spectator = bearer_header(game.spectator_token)
        answers = await asyncio.gather(*(client.get(f"{game.path}/diffs", headers=spectator) for _ in range(60)))
        assert {answer.status for answer in answers} == {200, 429}
        assert 2 <= len(read) <= 3


@pytest.mark.parametrize("path", ("/v1/games", "/v1/seats/me/games", "/v1/keys/me/games"))
async def test_a_list_is_charged_by_the_games_that_it_loads(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """It is charged for all that it may load, and refunded what it did not."""
    monkeypatch.setattr(costs, "LISTED_GAMES_PER_TOKEN", 1)
    async with start_counting_instance(store) as (client, plain):
        secret = await add_api_key(store, quotas=Quotas(UNLIMITED, UNLIMITED, UNLIMITED))
        header = api_key_header(secret)
        games = [await create_game(client, headers=header) for _ in range(7)]
        lines = {
            "/v1/games": (),
            "/v1/seats/me/games": (f"Authorization: Bearer {', '.join(game.owner_token for game in games)}",),
            "/v1/keys/me/games": (f"Api-Key: {secret}",),
        }[path]
        first, second = [(await plain.request(path, *lines)).remaining for _ in range(2)]
        assert first - second == 1 + len(games)


async def test_a_refund_does_not_exceed_the_bucket(store: RedisStore) -> None:
    """Though the charge was more than the bucket holds."""
    async with serve(store, make_limits(rate_reads=2)) as client:
        assert await count_admitted(10, lambda: client.get("/v1/games?limit=100")) <= 3


async def test_the_number_of_games_that_a_list_scans_is_limited(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where none of them can be told; the next page goes on there."""
    monkeypatch.setattr("service.games.queries.lobby.MAX_GAMES_SCANNED", 5)
    async with serve(store, Limits()) as client:
        for _ in range(12):
            game = await create_game(client)
            await store.unlist(game.id, "active")
            await store.list_game(game.id, "waiting", 1_800_000_000)
        pages, query = 0, {"status": "waiting", "limit": "4"}
        while True:
            received = await (await client.get("/v1/games", params=query)).json()
            assert received["games"] == []
            pages += 1
            if received["next_cursor"] is None:
                break
            query["cursor"] = received["next_cursor"]
        assert pages == 2  # of 8 games and of 4: each is read until 5 or more were


async def test_a_message_is_charged_by_its_length_before_it_is_decoded(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a long one that is malformed is decoded once: its error names neither its id nor its game."""
    async with start_counting_instance(store) as (client, plain):
        game = await create_game(client)
        lease = client.app[RATE_LIMITER].messages.pool.get_or_create(hash_token(game.owner_token))
        decoder, left_when_decoded = session_module._DECODER, list[int]()

        class RecordingDecoder:
            def decode(self, text: str) -> object:
                if "ping" not in text:
                    left_when_decoded.append(lease.remaining)
                return decoder.decode(text)

        async with SocketClient(client, game.owner_token) as socket:
            await socket.send(type="auth", game=game.id, token=game.owner_token)
            monkeypatch.setattr(session_module, "_DECODER", RecordingDecoder())
            monkeypatch.setattr(session_module, "read_envelope", decoded := Mock())
            before = lease.remaining
            message = {"type": "act", "game": game.id, "id": "c", "move": "a" * 60_000}
            await socket.send(**message)
            tokens = len(json.dumps(message)) // costs.MESSAGE_BYTES_PER_TOKEN
            assert left_when_decoded == [before - tokens]
            assert before - lease.remaining == tokens + 2  # itself, and the ping
            assert decoded.call_count == 0

            async def ask() -> object:
                return await socket.send(**message)

            cost = await relative_cost(ask, lambda: plain.request(game.path))
            assert cost / (tokens + 2) < MAX_GETS_PER_MESSAGE_TOKEN


@pytest.mark.parametrize(
    ("frames", "tokens"),
    (
        pytest.param(encode_frame(BINARY, bytes(60_000), mask=bytes(4)), 60_000 // 512, id="a long binary message"),
        pytest.param(encode_frame(TEXT, b"[" * 4_000, mask=bytes(4)), 4_000 // 512, id="a malformed message"),
        pytest.param(
            encode_frame(TEXT, b"", mask=bytes(4), flags=0)
            + encode_frame(0, b"", mask=bytes(4), flags=0) * 638
            + encode_frame(0, b"", mask=bytes(4)),
            640 // 64,
            id="many empty frames",
        ),
    ),
)
async def test_what_arrives_on_a_socket_is_charged_by_its_size_and_its_frames(
    store: RedisStore, frames: bytes, tokens: int
) -> None:
    async with start_counting_instance(store) as (client, _):
        (before,) = {lease.remaining for lease in client.app[RATE_LIMITER].messages.require("127.0.0.1")[:1]}
        async with open_connection(client) as (reader, writer):
            writer.write(make_head("/v1/ws", *UPGRADE))
            await reader.readuntil(b"\r\n\r\n")
            writer.write(frames + encode_frame(CLOSE, b"", mask=bytes(4)))
            await read_to_end(reader)
        (after,) = {lease.remaining for lease in client.app[RATE_LIMITER].messages.require("127.0.0.1")[:1]}
        assert tokens <= before - after <= tokens + 2


async def test_a_long_message_over_the_limit_is_not_decoded(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve(store, make_limits(rate_messages=200)) as client, client.ws_connect("/v1/ws") as socket:
        await socket.receive()
        text = json.dumps({"type": "auth", "game": "a", "token": "b" * 60_000})

        async def send() -> str:
            await socket.send_str(text)
            return str((await socket.receive_json())["problem"]["code"])

        codes = [await send() for _ in range(3)]
        assert (codes[0], codes[-1]) == ("malformed", "rate_limited")
        monkeypatch.setattr(session_module, "_DECODER", decoder := Mock())
        assert await send() == "rate_limited"
        assert decoder.decode.call_count == 0

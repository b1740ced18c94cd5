"""Whole games over HTTP, typed requests, what is used of aiohttp, and games whose stored data are damaged."""

import ast
import inspect
import pkgutil
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from multiprocessing import active_children
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import Mock

import msgspec
import pytest
from msgspec import structs
from multidict import CIMultiDict
from redis.asyncio import Redis

import service
from schemas.tileset import TileSet
from service.engine import SCHEMA_VERSION
from service.engine.game import CHECKSUM_BYTES
from service.games.errors import Malformed
from service.games.history import verify
from service.games.ports import Revision, StoredDiff
from service.store import keys, log_entries
from service.store.game_store import RedisStore
from service.web.app import CONTEXT
from service.web.headers import match_entity_tag
from service.web.routes.actions import SeatRequest
from service.web.routes.board_images import BoardSvg, BoardText
from service.web.routes.game_state import LegalMovesRead, LogRead, StoryRead
from service.web.routes.games import Creation, GameList, MyGameList
from service.web.routes.tilesets import ShipPng, TileSvg
from service.web.routing import RequestDecoder, TypedRequest
from tests.snapshots import change_game, change_snapshot, seal
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.app_server import Client, mocked_request
from tests.web.http_game import IDENTITY, HTTPGame, check_problem, create_game
from tests.web.watcher_client import GameCopy, connect_watcher

SEATS = [{"name": "Ana"}, {"open": True}, {"bot": "greedy"}]


async def check_copy(http_game: HTTPGame, copy: GameCopy) -> None:
    response = await http_game.get(**IDENTITY)
    assert await response.json() == copy.game
    assert response.headers["ETag"] == f'"{copy.version}-{copy.digest}"'


@pytest.mark.parametrize("edition", ("international", "german"))
async def test_a_whole_game_is_followed_by_its_responses(client: Client, edition: str) -> None:
    chance = Random(edition)
    game = await create_game(client, SEATS, seed="whole", edition=edition, first_seat=0)
    copy = GameCopy()
    for diff in (await game.get_json("/diffs"))["diffs"]:
        copy.apply(diff)
    joined = await (await game.join()).json()
    for diff in (await game.get_json("/diffs?since=1"))["diffs"]:
        copy.apply(diff)
    await check_copy(game, copy)
    assert joined["game"] == copy.game
    tokens = {0: game.seat_tokens[0], joined["seat"]: joined["token"]}
    while (turn := copy.game["turn"]) is not None:
        legal = await game.get_json("/legal-moves")
        assert (legal["seat"], legal["phase"]) == (turn["decider"], turn["phase"])
        move = chance.choice(legal["moves"])
        body = {"move": move["id"]} if chance.random() < 0.5 else {"action": move["action"]}
        response = await game.act(body, tokens[legal["seat"]], **{"If-Match": f'"{copy.version}"'})
        acted = await response.json()
        assert response.status == 200, acted
        for diff in acted["diffs"]:
            copy.apply(diff)
        assert (copy.version, copy.digest) == (acted["version"], acted["digest"])
        if chance.random() < 0.2:
            await check_copy(game, copy)
            await game.get_json("/scores")
            await game.get_json("/tiles")
    await check_finished(game, copy)


async def check_finished(http_game: HTTPGame, copy: GameCopy) -> None:
    """Check that everything is revealed and the log can be verified."""
    game = await http_game.get_json()
    assert (game, game["status"]) == (copy.game, "finished")
    result = game["result"]
    best = max(score["total"] for score in result["scores"])
    assert set(result["winners"]) <= {score["seat"] for score in result["scores"] if score["total"] == best}
    scores = await http_game.get_json("/scores")
    assert [one["points_now"] for one in scores["players"]] == [score["ships"] for score in result["scores"]]
    assert game["deck"]["seed"] == "whole"
    assert (await http_game.get_json("/legal-moves"))["moves"] == []
    finished = await (await http_game.client.get("/v1/games?status=finished")).json()
    assert game["id"] in [one["id"] for one in finished["games"]]
    log = await http_game.get_json("/diffs?limit=1000")
    tileset = await (await http_game.client.get("/v1/tilesets/lagoon")).read()
    assert len(log["diffs"]) == game["version"]
    assert verify(log["diffs"], msgspec.json.decode(tileset, type=TileSet))


GAME, DIGEST = "k7m2x9qd4t1w", "0f3a5c1e9b7d2846a0c4e8f1b3d59627"
SECRET = "6e2f0c9b8d4a7153f0e1d2c3b4a59687"


async def decode(kind: type[TypedRequest], query: str = "", headers: Mapping[str, str] | None = None) -> Any:
    parts = {"id": GAME, "tile": "start", "ship": "s01"}
    request = mocked_request("GET", f"/?{query}", headers, match_info=parts)
    return await RequestDecoder(kind).decode(request, Mock())


@pytest.mark.parametrize(
    ("kind", "query", "path"),
    (
        *((LegalMovesRead, query, query[0]) for query in ("x=a", "x=1.5", "y=2147483648", "y=null", f"q={'q' * 101}")),
        *((LegalMovesRead, f"cursor={cursor}", "cursor") for cursor in ("x", "-1", "1e9", "%C2%B2", "1234567")),
        *((LegalMovesRead, f"limit={limit}", "limit") for limit in ("0", "1001", "1&limit=2", "null")),
        *((kind, f"limit={limit}", "limit") for kind in (LogRead, StoryRead) for limit in ("0", "1001")),
        *((LogRead, f"since={since}", "since") for since in ("-1", "x", "2147483648", "9" * 400)),
        *((LegalMovesRead, "stage=x", "stage"), (StoryRead, "since=x", "since"), (SeatRequest, "include=x", "include")),
        *((GameList, f"cursor={cursor}", "cursor") for cursor in ("x", "%00", "-1", "1e9", "%C3%A9", "c" * 201)),
        *((kind, "limit=101", "limit") for kind in (GameList, MyGameList)),
        *((GameList, "limit=&limit=5", "limit"), (GameList, "status=open", "status")),
        *((BoardSvg, f"width={width}", "width") for width in ("x", "15", "-1", "2147483648")),
        *((BoardSvg, f"region={region}", "region") for region in ("1,2,3", "a,b,c,d", "0,0,0,99999", "0,0,0,%D9%A1")),
        *((BoardSvg, "coordinates=2", "coordinates"), (BoardSvg, "last=yes", "last"), (BoardSvg, "side=-1", "side")),
        *((BoardSvg, "theme=sepia", "theme"), (BoardSvg, "v=old", "v"), (BoardSvg, "v=1&v=2", "v")),
        *((BoardText, "width=x", "width"), (ShipPng, "width=1", "width"), (TileSvg, "theme=x", "theme")),
        *((TileSvg, "rotation=4", "rotation"), (TileSvg, "rotation=x", "rotation")),
    ),
)  # fmt: skip
async def test_an_invalid_query_is_malformed(kind: type[TypedRequest], query: str, path: str) -> None:
    with pytest.raises(Malformed) as refusal:
        await decode(kind, query)
    assert refusal.value.path == path


async def test_empty_parameters_are_absent_and_unknown_ones_ignored() -> None:
    assert (await decode(GameList, "status=&limit=&cursor=&utm=%FF%00&x[]=1&=")).query == (await decode(GameList)).query
    board = "width=&region=&coordinates=&last=&side=&candidates=&theme=&v="
    for kind, query in (
        *((LogRead, "since=&limit="), (StoryRead, "since=&limit="), (BoardSvg, board), (BoardText, "width=&region=")),
        (LegalMovesRead, "stage=&x=&y=&q=&limit=&cursor=&effects="),
    ):
        assert (await decode(kind, f"{query}&utm=%FF")).query == (await decode(kind)).query, kind
    moves = (await decode(LegalMovesRead, "x=0.0&limit=5e0&stage=")).query
    assert (moves.x, moves.limit, moves.stage) == (0, 5, None)


@pytest.mark.parametrize(
    ("tags", "versions"),
    (
        *(("*", None), ('"1"', [(1, "")]), (f'"1-{DIGEST}"', [(1, DIGEST)]), (f'W/"1-{DIGEST}"', [(1, DIGEST)])),
        *((f'"1-{DIGEST}{suffix}"', [(1, DIGEST)]) for suffix in ("-gzip", "-deflate", "-fr", "-de-gzip")),
        *((f'"7", W/"1", "x" ,, "1-{DIGEST}-fr"', [(7, ""), (1, DIGEST)]), ('"2", "3"', [(2, ""), (3, "")])),
        *(
            (foreign, [])
            for foreign in ('W/"1"', '"01"', '"1-"', '"x"', '""', f'"1-{DIGEST}-zipped"', "", ",", " , ,, ")
        ),
    ),
)
async def test_if_match_names_versions(tags: str, versions: list[tuple[int, str]] | None) -> None:
    """Elements of a list may be empty (RFC 9110, 5.6.1), and generated clients send empty headers."""
    expected = None if versions is None else [Revision(version, bytes.fromhex(digest)) for version, digest in versions]
    assert (await decode(SeatRequest, headers={"If-Match": tags})).if_match == expected


@pytest.mark.parametrize(
    ("tags", "current"),
    (
        *(("*", '"a"'), ('"a"', '"a"'), (' ,, "x", ,W/"a",', '"a"'), ('"b", "a-gzip"', '"a-gzip"')),
        *(('"b"', None), ("", None), (" , ,, ", None), ('"a-fr"', None)),
    ),
)
def test_if_none_match_finds_the_clients_copy(tags: str, current: str | None) -> None:
    assert match_entity_tag([tags], '"a"') == current


@pytest.mark.parametrize("tag", ("17", "'17'", '"17', '"a" "b"', '"a",x', 'w/"17"', "*, *", ",17"))
async def test_an_invalid_entity_tag_is_malformed(tag: str) -> None:
    with pytest.raises(Malformed) as refusal:
        await decode(SeatRequest, headers={"If-Match": tag})
    assert refusal.value.path == "If-Match"
    with pytest.raises(Malformed) as refusal:
        match_entity_tag([tag], '"a"')
    assert refusal.value.path == "If-None-Match"


@pytest.mark.parametrize(
    ("prefer", "whole"),
    (
        *(("return=representation", True), ('respond-async, RETURN="representation"; x=1', True)),
        *(("return=minimal, wait=5", False), ("", False)),
    ),
)
async def test_prefer_asks_for_the_game(prefer: str, whole: bool) -> None:
    assert (await decode(SeatRequest, headers={"Prefer": prefer})).prefers_game is whole


@pytest.mark.parametrize(
    ("kind", "name", "values"),
    (
        (SeatRequest, "Idempotency-Key", ("", "k" * 256, "a\tb", "\u00e9", " k")),
        (SeatRequest, "Idempotency-Key", None),
        (Creation, "Idempotency-Key", ("", SECRET[1:], SECRET * 8)),
        (Creation, "Creator-Key", ("short", SECRET[1:], SECRET * 7, "a" * 32, "abcdefgh" * 4)),
        (Creation, "Creator-Key", ("with space" * 5, "\u00e9" * 40)),
        (Creation, "Creator-Key", None),
    ),
)
def test_weak_and_malformed_keys_are_rejected(
    kind: type[TypedRequest], name: str, values: tuple[str, ...] | None
) -> None:
    """None stands for two headers."""
    (header,) = (one for one in RequestDecoder(kind).headers.values() if one.name == name)
    assert header.parse([SECRET]) == SECRET
    for lines in [[value] for value in values] if values is not None else [[SECRET, SECRET]]:
        with pytest.raises(Malformed) as refusal:
            header.parse(lines)
        assert refusal.value.path == name


async def test_what_a_request_does_not_have_is_its_default() -> None:
    params = await decode(SeatRequest, headers=CIMultiDict([("Accept-Language", "de"), ("If-None-Match", "x")]))
    assert (params.id, params.token, params.if_match, params.idempotency_key) == (GAME, None, None, None)
    assert (params.body.seat, params.query.include, params.prefers_game, params.language) == (None, None, False, "de")


def used_names(code: ast.AST) -> Iterator[str]:
    """Yield the attributes of `self` and `super()` that code uses, and the methods that it defines."""
    for part in ast.walk(code):
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            yield part.name
        elif isinstance(part, ast.Attribute) and ast.unparse(part.value) in ("self", "super()"):
            yield part.attr


def private_names_by_module() -> dict[str, set[str]]:
    """Return the private names of aiohttp that classes use or override, by module of the service."""
    names_by_module: dict[str, set[str]] = {}
    for module in pkgutil.walk_packages(service.__path__, "service."):
        if module.name.endswith("__main__"):
            continue
        for cls in vars(import_module(module.name)).values():
            if inspect.isclass(cls) and cls.__module__ == module.name:
                peers = {
                    name
                    for base in cls.__mro__
                    if base.__module__.startswith("aiohttp.")
                    for name in (
                        *vars(base),
                        *getattr(base, "__slots__", ()),
                        *used_names(ast.parse(inspect.getsource(base))),
                    )
                    if name.startswith("_") and not name.startswith("__")
                }
                if peers and (private := peers & {*used_names(ast.parse(inspect.getsource(cls)))}):
                    names_by_module.setdefault(module.name, set()).update(private)
    return names_by_module


def test_one_private_attribute_is_used() -> None:
    """Nothing public tells that a body is malformed."""
    assert private_names_by_module() == {"service.web.connection": {"_messages"}}


def test_a_new_minor_version_of_aiohttp_does_not_come_by_itself() -> None:
    project = (Path(service.__file__).parents[1] / "pyproject.toml").read_text()
    (bounds,) = [line for line in project.splitlines() if line.strip().startswith('"aiohttp>=')]
    assert bounds.strip() == '"aiohttp>=3.14.5,<3.15",', "run all tests with the new version, and raise the bound"


def truncate(stored: bytes) -> bytes:
    return stored[: len(stored) // 2]


def flip_bit(stored: bytes) -> bytes:
    return stored[:-9] + bytes([stored[-9] ^ 1]) + stored[-8:]


def upgrade_schema(stored: bytes) -> bytes:
    (_, *fields), *others = msgspec.msgpack.decode(stored[:-CHECKSUM_BYTES])
    return seal(msgspec.msgpack.encode([[SCHEMA_VERSION + 1, *fields, "new"], *others]))


async def change_field(redis: Redis, game_id: str, change: Callable[[bytes], bytes], field: str = "snapshot") -> None:
    """Change a field of a stored game as it is stored, a snapshot past its checksum."""
    stored: Any = await redis.hget(keys.game(game_id), field)
    assert change(stored) != stored
    await redis.hset(keys.game(game_id), field, change(stored))


async def replace(redis: Redis, game_id: str) -> None:
    """Replace the key of a game by another type."""
    await redis.set(keys.game(game_id), "something else")


DAMAGES: dict[str, Callable[[Redis, str], Awaitable[None]]] = {
    "half a snapshot": partial(change_snapshot, change=truncate),
    "torn": partial(change_field, change=truncate),
    "with a changed bit": partial(change_field, change=flip_bit),
    "of a later schema": partial(change_snapshot, change=upgrade_schema),
    "without its access": partial(change_field, change=truncate, field="access"),
    "that cannot be shown": partial(change_game, change=lambda game: game.display.append(10_000)),
    "of another type": replace,
    "of no revision": partial(change_field, change=lambda _: b"many", field="revision"),
}


async def damage(client: Client, redis: Redis, game: HTTPGame, name: str) -> None:
    """Damage a stored game, which the service has not cached then."""
    await DAMAGES[name](redis, game.id)
    client.app[CONTEXT].cache.pop(game.id)


@pytest.mark.parametrize("name", ("half a snapshot", "torn", "with a changed bit", "of a later schema"))
async def test_an_unreadable_game_cannot_be_read(
    client: Client, redis: Redis, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    game = await create_game(client)
    await damage(client, redis, game, name)
    for path in ("", "/legal-moves", "/scores", "/features", "/tiles", "/story", "/board.svg", "/board.txt"):
        await check_problem(await game.get(path), 503, "store_unavailable")
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize("name", ("half a snapshot", "without its access"))
async def test_an_unreadable_game_cannot_be_changed(client: Client, redis: Redis, name: str) -> None:
    game = await create_game(client)
    await damage(client, redis, game, name)
    for response in (
        await game.act({"move": "i0"}),
        *[await game.post(path) for path in ("/undo", "/resign", "/return", "/rematch")],
        await game.post("/webhooks", {"url": "https://bot.example/hook"}),
        await game.join("Cy"),
        await game.delete(),
    ):
        await check_problem(response, 503, "store_unavailable")


@pytest.mark.parametrize("name", DAMAGES)
async def test_a_damaged_game_hides_no_other_in_lists(
    client: Client, store: RedisStore, redis: Redis, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    games = [await create_game(client) for _ in range(4)]
    ids = [game.id for game in games]
    before = await store.load_versions(ids)
    await damage(client, redis, games[0], name)
    for path in ("/v1/games", "/v1/games?status=active", "/v1/seats/me/games"):
        headers = {"Authorization": f"Bearer {', '.join(game.owner_token for game in games)}"}
        response = await client.get(path, headers=headers if "seats" in path else {})
        assert response.status == 200, await response.text()
        listed = {one.get("id") or one["game"]["id"] for one in (await response.json())["games"]}
        assert listed - {ids[0]} == {*ids[1:]}
        if "without" not in name:  # what everybody may see needs no tokens
            assert ids[0] not in listed
    assert (await store.load_versions(ids))[1:] == before[1:] != [None] * 3
    assert len([record for record in caplog.records if record.exc_info]) <= 1


async def test_an_instance_that_is_too_old_for_all_games_does_not_say_that_there_are_none(
    client: Client, redis: Redis
) -> None:
    """Another instance may be newer, so a retry may succeed; a damaged game is on none."""
    game = await create_game(client)
    await damage(client, redis, game, "of a later schema")
    for path in ("/v1/games", "/v1/seats/me/games"):
        response = await client.get(path, headers={"Authorization": f"Bearer {game.owner_token}"})
        await check_problem(response, 503, "store_unavailable")
        assert response.headers["Retry-After"] == "1"
    whole = await create_game(client)
    assert [one["id"] for one in (await (await client.get("/v1/games")).json())["games"]] == [whole.id]
    await damage(client, redis, whole, "torn")
    await damage(client, redis, game, "torn")
    assert (await (await client.get("/v1/games")).json())["games"] == []


async def test_a_socket_gets_an_error_and_continues_with_other_games(client: Client, redis: Redis) -> None:
    whole, broken = await create_game(client), await create_game(client)
    await damage(client, redis, broken, "half a snapshot")
    async with connect_watcher(client) as watcher:
        await watcher.request_error({"type": "subscribe", "game": broken.id, "id": "s"}, "store_unavailable")
        await watcher.subscribe(whole.id)
        await whole.act_successfully()
        await watcher.receive_until(whole.id, 2)


PLAYED = 12

Change = Callable[[list[bytes]], list[bytes]]


async def rewrite(redis: Redis, http_game: HTTPGame, change: Change) -> None:
    """Change the stored log of a game. An empty entry is left out."""
    key = keys.log(http_game.id)
    stored: Any = await redis.xrange(key)
    entries = [fields[b"d"] for _, fields in stored]
    assert len(entries) > PLAYED
    await redis.delete(key)
    for version, entry in enumerate(change(entries), 1):
        if entry:
            await redis.xadd(key, {"d": entry}, id=f"{version}-0")


def each(change: Callable[[dict[str, Any]], Any]) -> Change:
    """Change every diff, and leave its digest as it is."""

    def changed(entries: list[bytes]) -> list[bytes]:
        diffs = log_entries.unpack("", b"", enumerate(entries, 1))
        return [changed_entry(diff) for diff in diffs]

    def changed_entry(stored: StoredDiff) -> bytes:
        diff = msgspec.json.decode(stored.data)
        change(diff)
        data = msgspec.json.encode(diff, order="sorted")
        return log_entries.pack(bytes(log_entries.COMMIT_ID_BYTES), "", structs.replace(stored, data=data))

    return changed


NO_PLAYER = {"op": "add", "path": "/players/9/name", "value": "Zoë"}

UNREADABLE_LOGS_DAMAGES: dict[str, Change] = {
    "torn": lambda entries: [entry[: len(entry) // 2] for entry in entries],
    "of a later release": lambda entries: [
        entry[: log_entries.HEADER_BYTES] + b"\xff\xff" + entry[log_entries.HEADER_BYTES + 2 :] for entry in entries
    ],
    "beside itself": each(lambda diff: diff["patch"].append(NO_PLAYER)),
    "of another form": each(lambda diff: diff.update(patch=None)),
    "of empty entries": lambda entries: [b"?" for _ in entries],
}
GAPS: dict[str, Change] = {
    "without its beginning": lambda entries: [b""] * 6 + entries[6:],
    "without its middle": lambda entries: [*entries[:5], b"", *entries[6:]],
    "without its end": lambda entries: entries[: PLAYED // 2],
    "empty": lambda entries: [b"" for _ in entries],
}
UNREADABLE_LOGS_DAMAGES |= GAPS


@pytest.fixture
async def http_game(client: Client) -> HTTPGame:
    game = await create_game(client, seed="damaged", first_seat=0)
    await game.play_randomly(Random(3), PLAYED + 1)
    while not (await game.get_json())["turn"]["undoable"]:
        await game.act_successfully()
    return game


@pytest.mark.parametrize(
    ("damage", "form"), (*((damage, "svg") for damage in UNREADABLE_LOGS_DAMAGES), ("torn", "png"), ("torn", "txt"))
)
async def test_the_picture_of_a_damaged_log(http_game: HTTPGame, redis: Redis, damage: str, form: str) -> None:
    await rewrite(redis, http_game, UNREADABLE_LOGS_DAMAGES[damage])
    problem = await check_problem(await http_game.get(f"/board.{form}?v={PLAYED}"), 503, "store_unavailable")
    assert "cannot read the stored game" in problem["detail"]
    assert (await http_game.get(f"/board.{form}")).status == 200


@pytest.mark.parametrize("damage", UNREADABLE_LOGS_DAMAGES)
async def test_other_readers_of_a_damaged_log_do_not_fail(
    http_game: HTTPGame, redis: Redis, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    await rewrite(redis, http_game, UNREADABLE_LOGS_DAMAGES[damage])
    for path in ("/story", "/legal-moves", "/scores", ""):
        response = await http_game.get(path)
        assert response.status in (200, 503), (path, await response.text())
    undone = await http_game.post("/undo")
    assert undone.status in (409, 503), await undone.text()
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("since", (0, 5))
async def test_a_log_is_never_given_with_a_gap(
    http_game: HTTPGame, redis: Redis, caplog: pytest.LogCaptureFixture, gap: str, since: int
) -> None:
    await rewrite(redis, http_game, GAPS[gap])
    before = read_samples()
    for path in ("diffs", "story"):
        await check_problem(await http_game.get(f"/{path}?since={since}"), 503, "store_unavailable")
    assert grown(before, "game_failures_total", work="requests") == 2
    assert f"requests: game {http_game.id} failed" in caplog.text


def with_unknown_tiles(diff: dict[str, Any]) -> None:
    for one in diff["patch"]:
        if one["path"].startswith("/board/") and isinstance(one["value"], dict):
            one["value"]["tile"] = "unheard-of"


async def test_a_picture_that_cannot_be_drawn_affects_no_other(
    http_game: HTTPGame, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    assert (await http_game.get("/board.svg?width=403")).status == 200
    workers = {*active_children()}
    assert workers
    await rewrite(redis, http_game, each(with_unknown_tiles))
    for _ in range(3):
        response = await http_game.get(f"/board.svg?v={PLAYED}")
        assert response.headers["Retry-After"] == "60"
        assert "could not be drawn" in (await check_problem(response, 503, "instance_unavailable"))["detail"]
    assert (await http_game.get("/board.svg?width=404")).status == 200
    assert {*active_children()} == workers
    (failure,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert "unheard-of" in failure.getMessage()

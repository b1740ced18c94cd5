"""A game whose stored data are damaged is a problem of its own: every other game goes on."""

from collections.abc import Awaitable, Callable
from functools import partial
from multiprocessing import active_children
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec import structs
from redis.asyncio import Redis

from service.engine import SCHEMA_VERSION
from service.engine.game import CHECKSUM_BYTES
from service.games.ports import StoredDiff
from service.store import keys, log_entries
from service.store.game_store import RedisStore
from service.web.app import CONTEXT
from tests.snapshots import change_game, change_snapshot, seal
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.app_server import Client
from tests.web.http_game import HTTPGame, check_problem, create_game
from tests.web.watcher_client import connect_watcher


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

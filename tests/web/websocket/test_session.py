"""Actions, undo, resigning, returning and tokens over a WebSocket: the same as over HTTP."""

from collections.abc import AsyncIterator
from typing import Any
from unittest.mock import AsyncMock

import pytest

from schemas.messages import ActMessage, Auth, ClientMessage, Ping, Subscribe, Sync, Undo, Unsubscribe
from service.games.ports import StoreUnavailable
from service.store.game_store import RedisStore
from service.web.headers import make_token_id
from service.web.rate_limiter import MessageInfo
from service.web.websocket import SessionTokens
from service.web.websocket_connection import WebSocketConnection
from tests.web.app_server import Client, FrozenClock
from tests.web.http_game import HTTPGame, create_game
from tests.web.routes.test_actions import pass_deadline
from tests.web.watcher_client import WatcherClient, connect_watcher, watch_game

NOBODYS = "x" * 43


@pytest.fixture
async def watcher(client: Client, http_game: HTTPGame) -> AsyncIterator[WatcherClient]:
    """Return a WebSocket of the owner that follows the game."""
    async with watch_game(client, http_game.id, token=http_game.owner_token) as opened:
        yield opened


def act(http_game: HTTPGame, body: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "act", "id": "c", "game": http_game.id, **body, **more}


async def test_the_diffs_of_an_act_come_before_its_ack(http_game: HTTPGame, watcher: WatcherClient) -> None:
    """Of all that it includes too."""
    diff, ack = await watcher.request_change(act(http_game, await http_game.first_move(), include="legal_moves"))
    legal_moves = await http_game.get_json("/legal-moves")
    revision = {"version": diff["version"], "digest": diff["digest"]}
    assert ack == {"type": "ack", "id": "c", "game": http_game.id, **revision, "legal_moves": legal_moves}
    _, ack = await watcher.request_change(act(http_game, {"action": {"type": "pass"}}))
    assert ack["legal_moves"] is None
    assert watcher.copy_of(http_game.id).game == await http_game.get_json()


async def test_the_diff_of_an_act_and_its_ack_are_written_at_once(
    http_game: HTTPGame, watcher: WatcherClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = WebSocketConnection._write_to_transport
    written: list[bytes] = []

    def counted(connection: WebSocketConnection, frames: bytes) -> None:
        written.append(frames)
        put(connection, frames)

    monkeypatch.setattr(WebSocketConnection, "_write_to_transport", counted)
    await watcher.request_change(act(http_game, await http_game.first_move()))
    [frames] = written
    assert frames.index(b'"type":"diff"') < frames.index(b'"type":"ack"')


async def test_a_whole_turn_is_done_at_once_or_not_at_all(http_game: HTTPGame, watcher: WatcherClient) -> None:
    action = (await http_game.legal_moves())[0]["action"]
    too_much = [action, {"type": "take_ship", "ship": "none"}]
    error = await watcher.request_error(act(http_game, {"actions": too_much}), "illegal_move")
    assert (error["id"], error["game"], error["problem"]["index"]) == ("c", http_game.id, 1)
    await watcher.request(act(http_game, {"actions": [action, {"type": "pass"}], "seat": None}), "diff")
    await watcher.receive("diff")
    assert (await watcher.receive("ack"))["version"] == 3


async def test_a_key_means_the_same_on_a_socket_and_over_http(http_game: HTTPGame, watcher: WatcherClient) -> None:
    move = await http_game.first_move()
    _, ack = await watcher.request_change(act(http_game, move, key="k"))
    assert await watcher.request(act(http_game, move, key="k"), "ack") == ack
    response = await http_game.act(move, **{"Idempotency-Key": "k"})
    assert (response.status, (await response.json())["digest"]) == (200, ack["digest"])
    await watcher.request_error(act(http_game, {"action": {"type": "pass"}}, key="k"), "key_reused")
    move = await http_game.first_move()
    acted = await (await http_game.act(move, **{"Idempotency-Key": "l"})).json()
    await watcher.receive("diff")
    assert (await watcher.request(act(http_game, move, key="l", if_match="1"), "ack"))["digest"] == acted["digest"]


async def test_errors_are_those_of_http(http_game: HTTPGame, watcher: WatcherClient) -> None:
    move, digest = await http_game.first_move(), http_game.created["digest"]
    seat = (await http_game.get_json())["turn"]["seat"]
    await watcher.request_error(act(http_game, move, seat=1 - seat), "not_your_turn")
    error = await watcher.request_error(act(http_game, {"move": "nonsense"}), "malformed")
    assert (error["id"], error["game"], error["problem"]["path"]) == ("c", http_game.id, "$.move")
    await watcher.request_error({"type": "act", "game": "none", **move}, "not_found")
    error = await watcher.request_error(act(http_game, move, if_match=f"1-{'0' * 32}"), "version_mismatch")
    assert (error["problem"]["version"], error["problem"]["digest"]) == (1, digest)
    await watcher.request_change(act(http_game, move, if_match=f"1-{digest}"))


async def test_in_an_outage_the_error_says_what_was_done(
    http_game: HTTPGame, watcher: WatcherClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    move, sync = act(http_game, await http_game.first_move()), {"type": "sync", "game": http_game.id}
    for name in ("commit", "load"):
        monkeypatch.setattr(RedisStore, name, AsyncMock(side_effect=StoreUnavailable("gone")))
    sent = (move | {"key": "k"}, move, sync)
    errors = [await watcher.request_error(message, "store_unavailable") for message in sent]
    assert [error["problem"]["detail"].partition("; ")[2] for error in errors] == [
        "the request may have been applied: retry with the same key",
        "the request may have been applied: check that before you send it again",
        "nothing was changed: retry",
    ]


async def test_auth_adds_a_token(client: Client, http_game: HTTPGame) -> None:
    move = await http_game.first_move()
    async with connect_watcher(client) as watcher:
        await watcher.request_error(act(http_game, move), "unauthorized")
        await watcher.request_error({"type": "auth", "id": "a", "game": http_game.id, "token": NOBODYS}, "unauthorized")
        ack = await watcher.request(
            {"type": "auth", "id": "a", "game": http_game.id, "token": http_game.spectator_token}, "ack"
        )
        assert (ack["id"], ack["game"], ack["version"], ack["digest"]) == ("a", http_game.id, None, None)
        await watcher.request_error(act(http_game, move), "wrong_seat")
        seat = (await http_game.get_json())["turn"]["seat"]
        await watcher.request({"type": "auth", "game": http_game.id, "token": http_game.seat_tokens[1 - seat]}, "ack")
        await watcher.request_error(act(http_game, move), "not_your_turn")
        await watcher.request({"type": "auth", "game": http_game.id, "token": http_game.seat_tokens[seat]}, "ack")
        await watcher.request_error({"type": "auth", "game": http_game.id, "token": NOBODYS}, "unauthorized")
        assert (await watcher.request(act(http_game, move), "ack"))["version"] == 2


async def test_the_upgrade_token_counts_for_the_games_that_accept_it(client: Client, http_game: HTTPGame) -> None:
    other = await create_game(client)
    hidden = await create_game(client, visibility="private")
    async with connect_watcher(client, token=http_game.owner_token) as watcher:
        assert (await watcher.request(act(http_game, await http_game.first_move()), "ack"))["version"] == 2
        await watcher.subscribe(other.id)
        await watcher.request_error(act(other, await other.first_move()), "unauthorized")
        await watcher.request_error({"type": "subscribe", "game": hidden.id}, "not_found")
        await watcher.request({"type": "auth", "game": hidden.id, "token": hidden.owner_token}, "ack")
        await watcher.subscribe(hidden.id)
        await watcher.request_change(act(hidden, await hidden.first_move()))


@pytest.mark.parametrize("message_type", ("subscribe", "sync", "act", "auth"))
async def test_a_private_game_is_not_found_without_its_token(client: Client, message_type: str) -> None:
    http_game = await create_game(client, visibility="private")
    more: dict[str, dict[str, Any]] = {"act": await http_game.first_move(), "auth": {"token": NOBODYS}}
    message = {"type": message_type, "id": "m", "game": http_game.id, **more.get(message_type, {})}
    async with connect_watcher(client) as watcher:
        hidden = await watcher.request_error(message, "not_found")
        missing = await watcher.request_error({**message, "game": "none"}, "not_found")
        for error in (hidden, missing):
            error["problem"]["detail"] = error["problem"]["detail"].replace(error.pop("game"), "GAME")
        assert hidden == missing


@pytest.mark.parametrize("role", ("owner_token", "spectator_token"))
async def test_a_private_game_is_watched_with_any_of_its_tokens(client: Client, role: str) -> None:
    http_game = await create_game(client, visibility="private")
    async with watch_game(client, http_game.id, token=getattr(http_game, role)) as watcher:
        await watcher.receive_action(http_game)
        await watcher.request({"type": "sync", "game": http_game.id}, "snapshot")


def message(http_game: HTTPGame, what: str, **more: Any) -> dict[str, Any]:
    return {"type": what, "id": "c", "game": http_game.id, **more}


@pytest.mark.parametrize(
    ("what", "event"), (("undo", "move_undone"), ("resign", "player_resigned"), ("return", "player_returned"))
)
async def test_other_commands_are_those_of_http(
    timed_client: Client, store: RedisStore, clock: FrozenClock, what: str, event: str
) -> None:
    http_game = await create_game(timed_client, first_seat=0, turn_timeout_s=60, on_timeout="bot")
    await (pass_deadline(http_game, store, clock) if what == "return" else http_game.act_successfully())
    async with watch_game(timed_client, http_game.id, token=http_game.owner_token) as watcher:
        command = {"type": what, "id": "c", "game": http_game.id, "seat": 0, "key": "k"}
        diff, ack = await watcher.request_change(command)
        assert (diff["seat"], diff["events"][0]["type"]) == (0, event)
        assert (ack["id"], ack["version"], ack["digest"]) == ("c", diff["version"], diff["digest"])
        assert await watcher.request(command, "ack") == ack
        await watcher.request_error({**command, "key": "other", "seat": 5}, "malformed")


def test_the_tokens_are_a_bounded_number() -> None:
    tokens = SessionTokens(2)
    for game in ("a", "b", "c"):
        tokens.add(game, f"of {game}")
    assert [tokens.get_verified(game) for game in ("a", "b", "c")] == ["of a", "of b", None]
    assert [tokens.has_room(game) for game in ("a", "c")] == [True, False]
    tokens.add("a", "another of a")
    assert tokens.get_verified("a") == "another of a"


def test_a_revoked_token_is_forgotten_and_leaves_room_for_another() -> None:
    tokens = SessionTokens(1)
    tokens.upgrade_token = "of the upgrade"
    tokens.add("a", "of a")
    assert tokens.get("a") == "of a"
    tokens.remove("a")
    assert (tokens.get_verified("a"), tokens.get("a"), tokens.has_room("b")) == (None, "of the upgrade", True)


FIRST, LATEST = make_token_id("first"), make_token_id("latest")


@pytest.mark.parametrize(
    ("message", "info"),
    (
        (ActMessage(game="a", move="i0"), MessageInfo("upgrade", FIRST, "a")),
        (Undo(game="a", key="k"), MessageInfo("upgrade", FIRST, "a", has_idempotency_key=True)),
        (ActMessage(game="x", move="i0"), MessageInfo("upgrade", None, "x")),
        (Auth(game="a", token="new"), MessageInfo("new", None, "a")),
        (Subscribe(game="a"), MessageInfo("upgrade", FIRST, "a")),
        (Sync(game="x"), MessageInfo("upgrade", LATEST, "x")),
        (Unsubscribe(game="a"), MessageInfo("upgrade", LATEST)),
        (Ping(), MessageInfo("upgrade", LATEST)),
    ),
    ids=str,
)
def test_a_message_is_charged_to_its_games_token_or_the_latest(message: ClientMessage, info: MessageInfo) -> None:
    """A command needs the token of its game."""
    tokens = SessionTokens(2)
    tokens.upgrade_token = "upgrade"
    tokens.add("a", "first")
    tokens.add("b", "latest")
    assert tokens.message_info(message) == info

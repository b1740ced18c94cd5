"""Actions and tokens over a WebSocket: the same as over HTTP."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from service.web.websocket_connection import WebSocketConnection
from tests.web.app_server import Client
from tests.web.http_game import HTTPGame, create_game
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
    for body in (await http_game.first_move(), {"action": {"type": "pass"}}):
        diff, ack = await watcher.request_change(act(http_game, body))
        assert ack == {
            "type": "ack",
            "id": "c",
            "game": http_game.id,
            "version": diff["version"],
            "digest": diff["digest"],
            "legal_moves": None,
        }
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


async def test_include_adds_the_next_moves_to_the_ack(http_game: HTTPGame, watcher: WatcherClient) -> None:
    _, ack = await watcher.request_change(act(http_game, await http_game.first_move(), include="legal_moves"))
    assert ack["legal_moves"] == await http_game.get_json("/legal-moves")


async def test_bots_answer_before_the_ack(client: Client) -> None:
    http_game = await create_game(client, [{"name": "Ana"}, {"bot": "random"}], first_seat=0)
    async with watch_game(client, http_game.id, token=http_game.owner_token) as watcher:
        action = (await http_game.legal_moves())[0]["action"]
        await watcher.send(act(http_game, {"actions": [action, {"type": "pass"}]}))
        while (message := await watcher.receive())["type"] == "diff":
            pass
        assert (message["type"], message["version"]) == ("ack", watcher.copy_of(http_game.id).version)
        assert watcher.copy_of(http_game.id).version > 3


async def test_if_match_must_match(http_game: HTTPGame, watcher: WatcherClient) -> None:
    move, digest = await http_game.first_move(), http_game.created["digest"]
    for expected in ("2", f"1-{'0' * 32}"):
        error = await watcher.request_error(act(http_game, move, if_match=expected), "version_mismatch")
        assert (error["problem"]["version"], error["problem"]["digest"]) == (1, digest)
    await watcher.request_change(act(http_game, move, if_match=f"1-{digest}"))
    await watcher.request_change(act(http_game, await http_game.first_move(), if_match="2"))


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
    move = await http_game.first_move()
    seat = (await http_game.get_json())["turn"]["seat"]
    await watcher.request_error(act(http_game, move, seat=1 - seat), "not_your_turn")
    await watcher.request_error(act(http_game, {"move": "p99.99.0"}), "illegal_move")
    error = await watcher.request_error(act(http_game, {"move": "nonsense"}), "malformed")
    assert (error["id"], error["game"], error["problem"]["path"]) == ("c", http_game.id, "$.move")
    await watcher.request_error({"type": "act", "game": "none", **move}, "not_found")
    await http_game.delete()
    await watcher.receive("diff")
    await watcher.request_error(act(http_game, move), "not_active")


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

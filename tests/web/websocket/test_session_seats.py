"""Undo, resigning and returning over a socket: the same as over HTTP."""

from typing import Any

from service.store.game_store import RedisStore
from tests.web.app_server import Client, FrozenClock
from tests.web.http_game import HTTPGame, create_game
from tests.web.routes.test_resign import THREE, pass_deadline
from tests.web.watcher_client import connect_watcher, watch_game


def message(http_game: HTTPGame, what: str, **more: Any) -> dict[str, Any]:
    return {"type": what, "id": "c", "game": http_game.id, **more}


async def test_a_move_is_taken_back(client: Client, http_game: HTTPGame) -> None:
    moves = await http_game.legal_moves()
    async with watch_game(client, http_game.id, token=http_game.owner_token) as watcher:
        await watcher.request_change({"type": "act", "game": http_game.id, "move": moves[0]["id"]})
        diff, ack = await watcher.request_change(message(http_game, "undo", if_match="2", include="legal_moves"))
        assert diff["events"][0]["type"] == "move_undone"
        assert (ack["id"], ack["version"], ack["digest"]) == ("c", 3, diff["digest"])
        assert ack["legal_moves"]["moves"] == moves
        assert watcher.copy_of(http_game.id).game == await http_game.get_json()
        error = await watcher.request_error(message(http_game, "undo"), "nothing_to_undo")
        assert (error["id"], error["game"]) == ("c", http_game.id)


async def test_a_retry_takes_back_once_also_over_http(client: Client, http_game: HTTPGame) -> None:
    await http_game.act_successfully()
    async with connect_watcher(client, token=http_game.owner_token) as watcher:
        ack = await watcher.request(message(http_game, "undo", key="k"), "ack")
        assert await watcher.request(message(http_game, "undo", key="k"), "ack") == ack
        headers = {"Authorization": f"Bearer {http_game.owner_token}", "Idempotency-Key": "k"}
        response = await client.post(f"{http_game.path}/undo", headers=headers)
        assert (await response.json())["digest"] == ack["digest"]
        await watcher.request_error(message(http_game, "undo", key="k", seat=0), "key_reused")


async def test_somebody_resigns(client: Client) -> None:
    http_game = await create_game(client, THREE)
    async with watch_game(client, http_game.id, token=http_game.seat_tokens[2]) as watcher:
        diff, _ = await watcher.request_change(message(http_game, "resign"))
        assert (diff["seat"], diff["events"][0]) == (2, {"type": "player_resigned", "seat": 2})
        await watcher.request_error(message(http_game, "resign"), "resigned")
        await watcher.request_error(message(http_game, "resign", seat=1), "wrong_seat")
        await watcher.request_error(message(http_game, "resign", why="bored"), "malformed")


async def test_somebody_returns(timed_client: Client, store: RedisStore, clock: FrozenClock) -> None:
    http_game = await create_game(timed_client, first_seat=0, turn_timeout_s=60, on_timeout="bot")
    async with watch_game(timed_client, http_game.id, token=http_game.owner_token) as watcher:
        await watcher.request_error(message(http_game, "return", seat=0), "not_replaced")
        for what in ("resign", "return"):
            error = await watcher.request_error(message(http_game, what), "malformed")
            assert error["problem"]["path"] == "$.seat"
        await pass_deadline(http_game, store, clock)
        version = (await http_game.get_json())["version"]
        assert (await watcher.receive_until(http_game.id, version)).game == await http_game.get_json()
        diff, _ = await watcher.request_change(message(http_game, "return", seat=0))
        assert diff["events"] == [{"type": "player_returned", "seat": 0}]

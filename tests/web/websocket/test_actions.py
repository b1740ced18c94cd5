"""Acting and showing tokens over a socket: the same as over HTTP (api.md, "WebSocket", "Acting", "Tokens")."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from redis.asyncio import Redis

from service.store import keys
from service.web.websocket.connection import WebSocketConnection
from tests.web.app_server import Client
from tests.web.http_game import Table, bearer, new_table
from tests.web.watcher_client import Line, connected, watching

NOBODYS = "x" * 43


@pytest.fixture
async def table(client: Client) -> Table:
    return await new_table(client)


@pytest.fixture
async def line(client: Client, table: Table) -> AsyncIterator[Line]:
    """The owner's, watching the table."""
    async with watching(client, table.id, token=table.owner) as opened:
        yield opened


def act(table: Table, body: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "act", "id": "c", "game": table.id, **body, **more}


async def first_move(table: Table) -> dict[str, Any]:
    """The first legal move, as it is sent."""
    return {"move": (await table.moves())[0]["id"]}


async def test_the_diffs_of_an_act_come_before_its_ack(table: Table, line: Line) -> None:
    for body in (await first_move(table), {"action": {"type": "pass"}}):
        diff = await line.ask(act(table, body), "diff")
        ack = await line.hear("ack")
        assert ack == {
            "type": "ack",
            "id": "c",
            "game": table.id,
            "version": diff["version"],
            "digest": diff["digest"],
            "legal_moves": None,
        }
    assert line.keeper(table.id).game == await table.json()


async def test_the_diff_of_an_act_and_its_ack_are_written_at_once(
    table: Table, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = WebSocketConnection._write_to_transport
    written: list[bytes] = []

    def counted(wire: WebSocketConnection, frames: bytes) -> None:
        written.append(frames)
        put(wire, frames)

    monkeypatch.setattr(WebSocketConnection, "_write_to_transport", counted)
    await line.ask(act(table, await first_move(table)), "diff")
    await line.hear("ack")
    [frames] = written
    assert frames.index(b'"type":"diff"') < frames.index(b'"type":"ack"')


async def test_a_whole_turn_is_done_at_once_or_not_at_all(table: Table, line: Line) -> None:
    action = (await table.moves())[0]["action"]
    too_much = [action, {"type": "take_ship", "ship": "none"}]
    error = await line.refused(act(table, {"actions": too_much}), "illegal_move")
    assert (error["id"], error["game"], error["problem"]["index"]) == ("c", table.id, 1)
    await line.ask(act(table, {"actions": [action, {"type": "pass"}], "seat": None}), "diff")
    await line.hear("diff")
    assert (await line.hear("ack"))["version"] == 3


async def test_an_act_brings_the_next_moves_where_they_are_asked_for(table: Table, line: Line) -> None:
    await line.ask(act(table, await first_move(table), include="legal_moves"), "diff")
    assert (await line.hear("ack"))["legal_moves"] == await table.json("/legal-moves")


async def test_bots_answer_before_the_ack(client: Client) -> None:
    table = await new_table(client, [{"name": "Ana"}, {"bot": "random"}], first_seat=0)
    async with watching(client, table.id, token=table.owner) as line:
        action = (await table.moves())[0]["action"]
        await line.say(act(table, {"actions": [action, {"type": "pass"}]}))
        while (message := await line.hear())["type"] == "diff":
            pass
        assert (message["type"], message["version"]) == ("ack", line.keeper(table.id).version)
        assert line.keeper(table.id).version > 3


async def test_an_if_match_must_be_met(table: Table, line: Line) -> None:
    move, digest = await first_move(table), table.created["digest"]
    for expected in ("2", f"1-{'0' * 32}"):
        error = await line.refused(act(table, move, if_match=expected), "version_mismatch")
        assert (error["problem"]["version"], error["problem"]["digest"]) == (1, digest)
    await line.ask(act(table, move, if_match=f"1-{digest}"), "diff")
    await line.hear("ack")
    await line.ask(act(table, await first_move(table), if_match="2"), "diff")
    await line.hear("ack")


async def test_a_key_means_the_same_on_a_socket_and_over_http(table: Table, line: Line) -> None:
    move = await first_move(table)
    await line.ask(act(table, move, key="k"), "diff")
    ack = await line.hear("ack")
    assert await line.ask(act(table, move, key="k"), "ack") == ack
    response = await table.act(move, **{"Idempotency-Key": "k"})
    assert (response.status, (await response.json())["digest"]) == (200, ack["digest"])
    await line.refused(act(table, {"action": {"type": "pass"}}, key="k"), "key_reused")
    move = await first_move(table)
    acted = await (await table.act(move, **{"Idempotency-Key": "l"})).json()
    await line.hear("diff")
    assert (await line.ask(act(table, move, key="l", if_match="1"), "ack"))["digest"] == acted["digest"]


async def test_refusals_are_those_of_http(client: Client, table: Table, line: Line) -> None:
    move = await first_move(table)
    seat = (await table.json())["turn"]["seat"]
    await line.refused(act(table, move, seat=1 - seat), "not_your_turn")
    await line.refused(act(table, {"move": "p99.99.0"}), "illegal_move")
    error = await line.refused(act(table, {"move": "nonsense"}), "malformed")
    assert (error["id"], error["game"], error["problem"]["path"]) == ("c", table.id, "$.move")
    await line.refused({"type": "act", "game": "none", **move}, "not_found")
    await client.delete(table.path, headers=bearer(table.owner))
    await line.hear("diff")
    await line.refused(act(table, move), "not_active")


async def test_a_token_is_shown_by_auth(client: Client, table: Table) -> None:
    move = await first_move(table)
    async with connected(client) as line:
        await line.refused(act(table, move), "unauthorized")
        await line.refused({"type": "auth", "id": "a", "game": table.id, "token": NOBODYS}, "unauthorized")
        ack = await line.ask({"type": "auth", "id": "a", "game": table.id, "token": table.spectator}, "ack")
        assert (ack["id"], ack["game"], ack["version"], ack["digest"]) == ("a", table.id, None, None)
        await line.refused(act(table, move), "wrong_seat")
        seat = (await table.json())["turn"]["seat"]
        await line.ask({"type": "auth", "game": table.id, "token": table.seats[1 - seat]}, "ack")
        await line.refused(act(table, move), "not_your_turn")
        await line.ask({"type": "auth", "game": table.id, "token": table.seats[seat]}, "ack")
        await line.refused({"type": "auth", "game": table.id, "token": NOBODYS}, "unauthorized")
        assert (await line.ask(act(table, move), "ack"))["version"] == 2


async def test_the_header_shows_a_token_for_the_games_that_know_it(client: Client, table: Table) -> None:
    other = await new_table(client)
    hidden = await new_table(client, visibility="private")
    async with connected(client, token=table.owner) as line:
        assert (await line.ask(act(table, await first_move(table)), "ack"))["version"] == 2
        await line.subscribe(other.id)
        await line.refused(act(other, await first_move(other)), "unauthorized")
        await line.refused({"type": "subscribe", "game": hidden.id}, "not_found")
        await line.ask({"type": "auth", "game": hidden.id, "token": hidden.owner}, "ack")
        await line.subscribe(hidden.id)
        await line.ask(act(hidden, await first_move(hidden)), "diff")
        await line.hear("ack")


@pytest.mark.parametrize("asked", ("subscribe", "sync", "act", "auth"))
async def test_a_private_game_is_not_there_without_its_token(client: Client, asked: str) -> None:
    table = await new_table(client, visibility="private")
    more: dict[str, dict[str, Any]] = {"act": await first_move(table), "auth": {"token": NOBODYS}}
    message = {"type": asked, "id": "m", "game": table.id, **more.get(asked, {})}
    async with connected(client) as line:
        hidden = await line.refused(message, "not_found")
        missing = await line.refused({**message, "game": "none"}, "not_found")
        for error in (hidden, missing):
            error["problem"]["detail"] = error["problem"]["detail"].replace(error.pop("game"), "GAME")
        assert hidden == missing


@pytest.mark.parametrize("role", ("owner", "spectator"))
async def test_a_private_game_is_watched_with_any_of_its_tokens(client: Client, role: str) -> None:
    table = await new_table(client, visibility="private")
    async with watching(client, table.id, token=getattr(table, role)) as line:
        await table.do()
        await line.hear("diff")
        await line.ask({"type": "sync", "game": table.id}, "snapshot")


async def test_tokens_are_stored_nowhere(table: Table, line: Line, redis: Redis) -> None:
    await line.ask(act(table, await first_move(table), key="secret-key"), "diff")
    await line.hear("ack")
    names = [name for name in await redis.keys() if isinstance(name, bytes)]
    assert keys.game(table.id).encode() in names
    stored = b"".join([*names, *[await redis.dump(name) or b"" for name in names]])
    for secret in (table.owner, table.spectator, *table.seats.values(), "secret-key"):
        assert secret.encode() not in stored

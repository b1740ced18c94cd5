"""A malformed message is answered with a problem, and the socket stays open."""

import pytest

from tests.web.app_server import Client
from tests.web.http_game import HTTPGame
from tests.web.watcher_client import WatcherClient, watch_game

DEEP = "[" * 30_000


@pytest.mark.parametrize(
    ("text", "path", "message_id", "game"),
    (
        ("", "$", None, None),
        ("{", "$", None, None),
        ("nonsense", "$", None, None),
        ("{} {}", "$.type", None, None),
        ('{"type": "ping", "id": "p"', "$", None, None),
        ("null", "$", None, None),
        ("[]", "$", None, None),
        ('"ping"', "$", None, None),
        ("17", "$", None, None),
        (DEEP, "$", None, None),
        ('{"type": "ping", "id": ' + DEEP, "$.id", None, None),
        ('{"type": "ping", "id": "\\ud800"}', "$", None, None),
        ("{}", "$.type", None, None),
        ('{"id": "a"}', "$.type", "a", None),
        ('{"type": "shout", "id": "a"}', "$.type", "a", None),
        ('{"type": null, "id": "a", "game": "g"}', "$.type", "a", "g"),
        ('{"type": "welcome", "id": "a"}', "$.type", "a", None),
        ('{"type": "ping", "id": 1}', "$.id", None, None),
        (f'{{"type": "ping", "id": "{"x" * 65}"}}', "$.id", None, None),
        ('{"type": "ping", "id": {"deep": [{}]}}', "$.id", None, None),
        ('{"type": "ping", "id": "a", "more": 1}', "$.more", "a", None),
        ('{"type": "subscribe", "id": "a"}', "$.game", "a", None),
        ('{"type": "subscribe", "id": "a", "game": "UPPER"}', "$.game", "a", None),
        (f'{{"type": "subscribe", "id": "a", "game": "{"g" * 33}"}}', "$.game", "a", None),
        ('{"type": "subscribe", "id": "a", "game": 7}', "$.game", "a", None),
        ('{"type": "subscribe", "id": "a", "game": "g", "since": -1}', "$.since", "a", "g"),
        ('{"type": "subscribe", "id": "a", "game": "g", "since": 1.5}', "$.since", "a", "g"),
        ('{"type": "subscribe", "id": "a", "game": "g", "since": 4294967296}', "$.since", "a", "g"),
        ('{"type": "subscribe", "id": "a", "game": "g", "since": 4294967296.0}', "$.since", "a", "g"),
        ('{"type": "subscribe", "id": "a", "game": "g", "since": 1e400}', "$.since", "a", "g"),
        ('\ufeff{"type": "shout", "id": "a"}', "$.type", "a", None),
        ('{"type": "subscribe", "id": "a", "game": "g", "digest": "short"}', "$.digest", "a", "g"),
        ('{"type": "subscribe", "id": "a", "game": "g", "since": 1, "sinc": 1}', "$.sinc", "a", "g"),
        ('{"type": "auth", "id": "a", "game": "g"}', "$.token", "a", "g"),
        ('{"type": "auth", "id": "a", "game": "g", "token": null}', "$.token", "a", "g"),
        ('{"type": "act", "id": "a", "game": "g"}', "$", "a", "g"),
        ('{"type": "act", "id": "a", "game": "g", "move": "p0.0.0", "actions": []}', "$.actions", "a", "g"),
        ('{"type": "act", "id": "a", "game": "g", "move": "p0.0.0", "action": {"type": "pass"}}', "$", "a", "g"),
        ('{"type": "act", "id": "a", "game": "g", "action": {"type": "shout"}}', "$.action.type", "a", "g"),
        ('{"type": "act", "id": "a", "game": "g", "action": {"type": "place_tile"}}', "$.action.x", "a", "g"),
        ('{"type": "act", "id": "a", "game": "g", "action": {"type": "pass", "x": 1}}', "$.action.x", "a", "g"),
        ('{"type": "act", "id": "a", "game": "g", "move": "nonsense"}', "$.move", "a", "g"),
        ('{"type": "act", "id": "a", "game": "g", "move": "p0.0.0", "seat": 5}', "$.seat", "a", "g"),
        ('{"type": "act", "id": "a", "game": "g", "move": "p0.0.0", "if_match": "*"}', "$.if_match", "a", "g"),
        ('{"type": "act", "id": "a", "game": "g", "move": "p0.0.0", "key": ""}', "$.key", "a", "g"),
        ('{"type": "act", "id": "a", "game": "g", "move": "p0.0.0", "include": "all"}', "$.include", "a", "g"),
    ),
)
async def test_a_malformed_message_is_answered(
    watcher: WatcherClient, text: str, path: str, message_id: str | None, game: str | None
) -> None:
    error = await watcher.request_error(text, "malformed")
    assert (error["id"], error["game"]) == (message_id, game)
    assert error["problem"]["path"] == path, error["problem"]
    assert error["problem"]["detail"]
    await watcher.expect_nothing()


async def test_a_binary_message_is_answered(watcher: WatcherClient) -> None:
    await watcher.socket.send_bytes(b'{"type": "ping"}')
    error = await watcher.receive("error")
    assert (error["id"], error["game"], error["problem"]["code"]) == (None, None, "malformed")
    await watcher.expect_nothing()


async def test_a_malformed_message_changes_no_subscription(client: Client, http_game: HTTPGame) -> None:
    async with watch_game(client, http_game.id) as watcher:
        await watcher.request_error(f'{{"type": "unsubscribe", "game": "{http_game.id}", "more": 1}}', "malformed")
        await watcher.receive_action(http_game)


async def test_integers_may_have_a_zero_fraction(http_game: HTTPGame, watcher: WatcherClient) -> None:
    await watcher.send(f'\ufeff{{"type":"subscribe","id":"1.0","game":"{http_game.id}","since":1e0}}')
    assert (await watcher.receive("subscribed"))["id"] == "1.0"
    move = (await http_game.legal_moves())[0]["id"]
    await watcher.send(f'{{"type":"act","game":"{http_game.id}","seat":0.5,"move":"{move}"}}')
    assert (await watcher.receive("error"))["problem"]["path"] == "$.seat"


async def test_null_is_absent(http_game: HTTPGame, watcher: WatcherClient) -> None:
    await watcher.send(f'{{"type":"subscribe","game":"{http_game.id}","since":null,"digest":null,"id":null}}')
    assert (await watcher.receive("subscribed"))["id"] is None


async def test_a_message_may_have_just_the_size_that_the_welcome_says(watcher: WatcherClient) -> None:
    await watcher.request_error('{"type": "ping"}'.ljust(65_536, "x"), "malformed")
    assert await watcher.request('{"type": "ping"}'.ljust(65_536), "pong")

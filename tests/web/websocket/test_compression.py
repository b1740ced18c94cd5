"""Compression of WebSocket messages, once for all clients (RFC 7692)."""

from collections.abc import Sequence
from itertools import product
from random import Random

import pytest

from service.store.game_store import RedisStore
from service.web import streaming
from service.web.limits import Limits
from tests.web.app_server import Client, serve
from tests.web.http_game import HTTPGame, create_game
from tests.web.watcher_client import watch_game
from tests.web.websocket.frame_client import connect_frame_client
from verification.fuzz.frames import CLOSE, DEFLATED, FINAL, TEXT, deflate, encode_frame

ANSWER = "permessage-deflate"

PLAIN, COMPRESSED = FINAL | TEXT, FINAL | DEFLATED | TEXT


@pytest.mark.parametrize(
    ("offers", "answer"),
    (
        ((), []),
        (("x-webkit-deflate-frame",), []),
        (
            ("permessage-deflate; server_no_context_takeover; client_no_context_takeover",),
            [f"{ANSWER}; server_no_context_takeover; client_no_context_takeover"],  # as gorilla/websocket insists
        ),
        (("permessage-deflate; " * 90,), []),
        (
            ("permessage-deflate; client_max_window_bits=7", "permessage-deflate; server_max_window_bits=11"),
            [f"{ANSWER}; server_max_window_bits=11"],
        ),
        (('permessage-deflate ; server_max_window_bits="12" ',), [f"{ANSWER}; server_max_window_bits=12"]),
        (("permessage-deflate; x=\u00e9, permessage-deflate",), [ANSWER]),
    ),
)
async def test_compression_is_negotiated(client: Client, offers: Sequence[str], answer: list[str]) -> None:
    async with connect_frame_client(client, "/v1/ws", *offers) as line:
        assert line.extensions == answer
        assert (await line.frame()).first == PLAIN


async def test_every_combination_of_parameters_is_answered_with_those_that_bind(client: Client) -> None:
    """The answer has no parameter that was not offered, and no weaker one (RFC 7692, 7.1.1 and 7.1.2)."""
    choices = (
        ("", "server_no_context_takeover"),
        ("", "client_no_context_takeover"),
        ("", "server_max_window_bits=9", "server_max_window_bits=15"),
        ("", "client_max_window_bits", "client_max_window_bits=8", "client_max_window_bits=15"),
    )
    for chosen in product(*choices):
        parameters = [parameter for parameter in chosen if parameter]
        binding = [parameter for parameter in parameters if not parameter.startswith("client_max_window_bits")]
        offer, answer = "; ".join((ANSWER, *parameters)), "; ".join((ANSWER, *binding))
        for offers in ((offer,), ("permessage-deflate; unheard_of", offer), (f"{offer}, {ANSWER}",)):
            async with connect_frame_client(client, "/v1/ws", *offers) as line:
                assert line.extensions == [answer], offers


async def test_snapshots_and_diffs_are_compressed_and_short_replies_are_not(
    client: Client, http_game: HTTPGame
) -> None:
    path = f"/v1/games/{http_game.id}/ws"
    async with (
        connect_frame_client(client, path, "permessage-deflate") as line,
        connect_frame_client(client, path) as other,
    ):
        assert (await line.until(b"subscribed")).first == PLAIN
        for tag in (b"snapshot", b"diff"):
            peers, plain = await line.until(tag), await other.until(tag)
            assert (peers.first, plain.first) == (COMPRESSED, PLAIN)
            assert peers.text() == plain.payload
            assert len(peers.payload) < len(plain.payload)
            await http_game.act_successfully()


@pytest.mark.parametrize("bits", (9, 10, 11))
async def test_a_message_beyond_the_clients_window_is_not_compressed(
    client: Client, http_game: HTTPGame, bits: int
) -> None:
    path, offer = f"/v1/games/{http_game.id}/ws", f"permessage-deflate; server_max_window_bits={bits}"
    async with connect_frame_client(client, path, offer) as line:
        assert line.extensions == [f"{ANSWER}; server_max_window_bits={bits}"]
        assert (await line.until(b"snapshot")).first == PLAIN


async def test_a_diff_is_compressed_once_for_all_clients(
    client: Client, http_game: HTTPGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    created: list[bytes] = []

    def counted(text: bytes) -> bytes:
        created.append(text)
        return deflated_frame(text)

    deflated_frame = streaming.deflated_frame
    monkeypatch.setattr(streaming, "deflated_frame", counted)
    path = f"/v1/games/{http_game.id}/ws?since=1"
    async with (
        connect_frame_client(client, path, "permessage-deflate") as one,
        connect_frame_client(client, path, "permessage-deflate; client_max_window_bits") as another,
        connect_frame_client(client, path) as plain,
    ):
        for line in (one, another, plain):
            await line.until(b"subscribed")
        for number in range(1, 6):
            await http_game.act_successfully()
            received = [await line.frame() for line in (one, another, plain)]
            assert received[0] == received[1]
            assert received[0].text() == received[2].payload
            assert len(created) == number


async def test_nothing_is_compressed_without_negotiation(
    client: Client, http_game: HTTPGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(streaming, "deflated_frame")
    async with watch_game(client, http_game.id) as line:
        await line.receive_action(http_game)


@pytest.mark.parametrize("window", (9, 12, 15))
async def test_a_client_that_compresses_plays_a_game(client: Client, window: int) -> None:
    """The client of aiohttp compresses its own messages too."""
    http_game = await create_game(client, seed="compressed")
    chance = Random(window)
    async with watch_game(client, http_game.id, token=http_game.owner_token, compress=window) as line:
        assert line.socket.compress == 15
        for version in range(2, 30):
            move = chance.choice(await http_game.legal_moves())["id"]
            await line.send({"type": "act", "game": http_game.id, "move": move})
            await line.receive_until(http_game.id, version)
            assert (await line.receive("ack"))["version"] == version
        assert line.copy_of(http_game.id).game == await http_game.get_json()


async def test_the_size_limit_applies_to_the_uncompressed_message(store: RedisStore) -> None:
    """Aiohttp accepts one byte more in a compressed message."""
    async with serve(store, Limits(max_message_bytes=1000)) as client:
        for text, large in ((b" " * 1000, False), (b" " * 1002, True), (b" " * 20_000_000, True)):
            payload = deflate(text)[:1000]
            async with connect_frame_client(client, "/v1/ws", "permessage-deflate") as line:
                await line.until(b"welcome")
                await line.write(encode_frame(TEXT, payload, flags=FINAL | DEFLATED))
                answer = await line.frame()
                assert (answer.first == FINAL | CLOSE) is large
                assert int.from_bytes(answer.payload[:2]) == 1009 if large else b'"malformed"' in answer.text()

"""The opening handshake (RFC 6455, 4.2; RFC 7692, 7.1).

Compression of WebSocket messages, once for all clients (RFC 7692).
"""

import base64
import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from http.client import HTTPResponse
from itertools import product
from random import Random

import pytest
from aiohttp import ClientSession

from service.store.game_store import RedisStore
from service.web import streaming
from service.web.limits import Limits
from service.web.websocket_connection import SUBPROTOCOL, select_deflate_offer
from tests.security.limited_client import make_limits
from tests.web.app_server import Client, serve
from tests.web.http_game import HTTPGame, create_game
from tests.web.raw_http import send_raw
from tests.web.watcher_client import watch_game
from tests.web.websocket.frame_client import connect_frame_client
from verification.fuzz.frames import CLOSE, DEFLATED, FINAL, TEXT, deflate, encode_frame

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
"""The key's answer (RFC 6455, 1.3)."""

OTHER = "chat.example, token.hFpsq8NkH33BBI8uV5YJ8vW67liNOv9x"


async def upgrade(
    client: Client, *lines: str, path: str = "/v1/ws", changed: Mapping[str, str | None] | None = None
) -> HTTPResponse:
    """Send an upgrade with these header lines and with some of the usual ones changed or left out."""
    usual = {
        "Host": "x",
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Version": "13",
        "Key": KEY,
        **(changed or {}),
    }
    names = {"Version": "Sec-WebSocket-Version", "Key": "Sec-WebSocket-Key"}
    head = [f"{names.get(name, name)}: {value}" for name, value in usual.items() if value is not None]
    request = "\r\n".join([f"GET {path} HTTP/1.1", *head, *lines, "", ""])
    return await send_raw(client, request.encode("latin-1"))


async def test_an_upgrade_is_accepted(client: Client) -> None:
    for changed in (
        None,
        {"Connection": "keep-alive, Upgrade"},
        {"Upgrade": "WebSocket"},
        {"Connection": "Upgrade, \u00e9", "X-Name": "\u00e9"},
    ):
        response = await upgrade(client, changed=changed)
        assert (response.status, response.headers["Sec-WebSocket-Accept"]) == (101, ACCEPT)
        assert response.headers["Upgrade"].lower() == "websocket"
        assert response.headers["Connection"].lower() == "upgrade"
        assert "Sec-WebSocket-Protocol" not in response.headers
        assert "Sec-WebSocket-Extensions" not in response.headers
    digest = hashlib.sha1(f"{KEY}258EAFA5-E914-47DA-95CA-C5AB0DC85B11".encode(), usedforsecurity=False).digest()
    assert base64.b64encode(digest).decode() == ACCEPT


@pytest.mark.parametrize("path", ("/v1/ws", "/v1/games/none/ws"))
async def test_only_get_is_allowed(client: Client, path: str) -> None:
    async with ClientSession() as session, session.head(client.make_url(path)) as response:
        assert (response.status, response.headers["Allow"]) == (405, "GET, OPTIONS")


@pytest.mark.parametrize("path", ("/v1/ws", "/v1/games/none/ws"))
@pytest.mark.parametrize(
    "changed",
    (
        *({"Version": version} for version in (None, "", "7", "8", "12", "14", "013", "13, 8", "x")),
        *({"Upgrade": protocol} for protocol in (None, "h2c")),
        dict.fromkeys(("Connection", "Upgrade", "Version", "Key")),
    ),
)
async def test_what_is_no_upgrade_to_the_supported_version_is_told_that(
    client: Client, path: str, changed: dict[str, str | None]
) -> None:
    """RFC 6455, 4.4; RFC 9110, 15.5.22."""
    response = await upgrade(client, path=path, changed=changed)
    assert (response.status, json.load(response)["code"]) == (426, "upgrade_required")
    assert response.headers["Sec-WebSocket-Version"] == "13"
    assert (response.headers["Upgrade"], response.headers["Connection"]) == ("websocket", "Upgrade")
    assert response.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    "changed",
    (
        {"Connection": None},
        {"Connection": "close"},
        {"Connection": None, "Sec-WebSocket-Protocol": OTHER},
        *({"Key": key} for key in (None, "", "short", "A" * 22, f"{KEY}=", "\u00e9" * 11 + "==", "A" * 24)),
    ),
)
async def test_a_malformed_upgrade_is_rejected(client: Client, changed: dict[str, str | None]) -> None:
    response = await upgrade(client, changed=changed)
    assert (response.status, json.load(response)["code"]) == (400, "malformed")


async def test_a_header_that_must_not_be_repeated_is_rejected(client: Client) -> None:
    """RFC 6455, 11.3.1 and 11.3.5."""
    assert (await upgrade(client, f"Sec-WebSocket-Key: {KEY}")).status == 400
    assert (await upgrade(client, "Sec-WebSocket-Version: 8")).status == 426


async def test_http_1_0_has_no_websockets(client: Client) -> None:
    """RFC 6455, 4.2.1."""
    lines = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {KEY}")
    response = await send_raw(client, "\r\n".join(["GET /v1/ws HTTP/1.0", *lines, "", ""]).encode())
    assert (response.status, json.load(response)["code"]) == (400, "malformed")


@pytest.mark.parametrize(
    ("lines", "selected"),
    (
        ((), None),
        ((SUBPROTOCOL,), SUBPROTOCOL),
        ((f"chat.example, {SUBPROTOCOL}",), SUBPROTOCOL),
        ((f"{SUBPROTOCOL},chat.example",), SUBPROTOCOL),
        (("chat.example", SUBPROTOCOL), SUBPROTOCOL),
        ((OTHER,), None),
        (("South-Seas.v1",), None),
        ((f"{SUBPROTOCOL}0",), None),
        (("",), None),
        (("caf\u00e9",), None),
    ),
)
async def test_the_subprotocol_is_selected_if_it_is_offered(
    client: Client, caplog: pytest.LogCaptureFixture, lines: tuple[str, ...], selected: str | None
) -> None:
    """Without it the socket opens too; and nothing that a client offers is logged."""
    with caplog.at_level(logging.DEBUG):
        response = await upgrade(client, *(f"Sec-WebSocket-Protocol: {line}" for line in lines))
    assert (response.status, response.headers.get("Sec-WebSocket-Protocol")) == (101, selected)
    assert not any("chat.example" in record.getMessage() for record in caplog.records)


async def test_a_client_that_offers_the_subprotocol_plays(client: Client, http_game: HTTPGame) -> None:
    protocols = ("other", SUBPROTOCOL)
    async with client.ws_connect(f"/v1/games/{http_game.id}/ws", protocols=protocols, compress=15) as socket:
        assert (socket.protocol, socket.compress) == (SUBPROTOCOL, 15)
        assert [(await socket.receive_json())["type"] for _ in range(3)] == ["welcome", "subscribed", "snapshot"]


DEFLATE = "permessage-deflate"


@pytest.mark.parametrize(
    ("offers", "selected"),
    (
        (DEFLATE, DEFLATE),
        (f"{DEFLATE}; client_max_window_bits", f"{DEFLATE}; client_max_window_bits"),
        (f"{DEFLATE};client_max_window_bits=8 ", f"{DEFLATE}; client_max_window_bits=8"),
        (f'{DEFLATE}; server_max_window_bits="10"', f"{DEFLATE}; server_max_window_bits=10"),
        (f"{DEFLATE}; client_max_window_bits=7, {DEFLATE}", DEFLATE),
        (
            f"{DEFLATE}; server_max_window_bits=8, {DEFLATE}; server_max_window_bits=9",
            f"{DEFLATE}; server_max_window_bits=9",
        ),
        (f"x-webkit-deflate-frame, {DEFLATE}", DEFLATE),
        ("", None),
        (f"x{DEFLATE}", None),
        (f"{DEFLATE}d", None),
        (f"{DEFLATE}=1", None),
        (f"{DEFLATE};", None),
        (f"{DEFLATE}; unheard_of", None),
        (f"{DEFLATE}; server_max_window_bits", None),
        *(
            (f"{DEFLATE}; server_max_window_bits={bits}", None)
            for bits in ("", "8", "7", "16", "010", "1e1", "\u0661\u0660")
        ),
        *((f"{DEFLATE}; client_max_window_bits={bits}", None) for bits in ("", "7", "16", "08", "x")),
        *((f"{DEFLATE}; {side}_no_context_takeover=1", None) for side in ("client", "server")),
        *(
            (f"{DEFLATE}; {side}_no_context_takeover; {side}_no_context_takeover", None)
            for side in ("client", "server")
        ),
        (f"{DEFLATE}; client_max_window_bits=10; client_max_window_bits", None),
        (f'x; a="b, {DEFLATE}, c"', None),
        (f'{DEFLATE}; server_max_window_bits="10', None),
    ),
)
def test_the_first_valid_offer_is_selected(offers: str, selected: str | None) -> None:
    assert select_deflate_offer(offers) == selected


async def test_an_upgrade_reports_its_rate_limit(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_requests=100)) as client:
        response = await upgrade(client)
        assert (response.status, response.headers["RateLimit-Policy"]) == (101, '"requests";q=100;w=3600')
        assert response.headers["RateLimit"].startswith('"requests";r=99;')


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

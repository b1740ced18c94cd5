"""Compressed responses: codings, entity tags, and what is never compressed."""

import gzip
import zlib
from collections.abc import AsyncIterator, Callable
from random import Random

import pytest
from aiohttp import ClientResponse, ClientSession
from aiohttp.compression_utils import ZLibCompressor

from service.web.responses import MAX_SYNC_BYTES, MIN_COMPRESSED_BYTES
from tests.web.app_server import Client
from tests.web.http_game import HTTPGame, bearer_header, create_game

DECODERS: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.decompress, "deflate": zlib.decompress}

PLAIN = {"Accept-Encoding": "identity"}

LARGE = ("", "/diffs", "/story", "/legal-moves", "/scores", "/features", "/tiles", "/board.svg", "/board.txt")
"""Paths below a game whose responses have more than 1 KB."""


@pytest.fixture
async def undecoded(client: Client) -> AsyncIterator[ClientSession]:
    """Return a client of the instance that does not decode responses."""
    async with ClientSession(client.make_url("/"), auto_decompress=False) as session:
        yield session


@pytest.fixture
async def game(client: Client) -> HTTPGame:
    created = await create_game(client, seed="tides")
    while (await created.play_randomly(Random(3), versions=60))["turn"]["phase"] != "place_tile":
        await created.act_successfully({"action": {"type": "pass"}})
    return created


def accept_encoding(coding: str) -> dict[str, str]:
    return {"Accept-Encoding": coding}


def assert_compressed(response: ClientResponse, coding: str) -> None:
    assert response.headers["Content-Encoding"] == coding
    assert response.headers["ETag"].endswith(f'-{coding}"')
    assert b"ETag" in dict(response.raw_headers)
    assert "Accept-Encoding" in response.headers["Vary"]


@pytest.mark.parametrize("coding", DECODERS)
async def test_large_responses_are_compressed(undecoded: ClientSession, game: HTTPGame, coding: str) -> None:
    for path in LARGE:
        await check_compressed(undecoded, game.path + path, coding)


async def check_compressed(undecoded: ClientSession, path: str, coding: str) -> None:
    """Check the response in a coding beside that without one, and the validators of both."""
    plain = await undecoded.get(path, headers=PLAIN)
    assert "Content-Encoding" not in plain.headers
    assert "Accept-Encoding" in plain.headers["Vary"]
    body = await plain.read()
    response = await undecoded.get(path, headers=accept_encoding(coding))
    assert_compressed(response, coding)
    assert DECODERS[coding](await response.read()) == body
    assert len(body) > MIN_COMPRESSED_BYTES
    assert int(response.headers["Content-Length"]) < len(body) / 1.5
    tag = plain.headers["ETag"]
    assert response.headers["ETag"] == f'{tag[:-1]}-{coding}"'
    for client_tag in (tag, f'{tag[:-1]}-gzip"', f'{tag[:-1]}-deflate"'):
        for sent in (client_tag, f"W/{client_tag}", f'"other", {client_tag}'):
            same = await undecoded.get(path, headers={**accept_encoding(coding), "If-None-Match": sent})
            assert (same.status, same.headers["ETag"]) == (304, client_tag)
            assert same.headers["Vary"] == response.headers["Vary"]


async def test_a_page_of_a_log_is_a_tenth_of_its_size(undecoded: ClientSession, client: Client) -> None:
    game = await create_game(client, seed="tides")
    await game.play_randomly(Random(1), versions=100)
    plain = await undecoded.get(f"{game.path}/diffs?limit=100", headers=PLAIN)
    compressed = await undecoded.get(f"{game.path}/diffs?limit=100", headers=accept_encoding("gzip"))
    sizes = len(await plain.read()), len(await compressed.read())
    assert sizes[0] > 60_000
    assert sizes[1] < sizes[0] / 8


async def test_large_responses_do_not_block_the_event_loop(
    undecoded: ClientSession, game: HTTPGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are compressed in a thread, which takes longer for small ones."""
    compressed_in_loop: list[int] = []
    compress = ZLibCompressor.compress_sync

    def record(compressor: ZLibCompressor, data: bytes) -> bytes:
        compressed_in_loop.append(len(data))
        return compress(compressor, data)

    monkeypatch.setattr(ZLibCompressor, "compress_sync", record)
    for path in ("", "/board.svg"):
        assert_compressed(await undecoded.get(game.path + path, headers=accept_encoding("gzip")), "gzip")
    (size,) = compressed_in_loop
    assert size < MAX_SYNC_BYTES


async def test_small_responses_and_pictures_as_png_are_not_compressed(undecoded: ClientSession, game: HTTPGame) -> None:
    small = ("/readyz", "/v1/bots", f"{game.path}/legal-moves?limit=1", "/v1/nowhere")
    for path in (*small, f"{game.path}/board.png", "/icon-512.png"):
        response = await undecoded.get(path, headers=accept_encoding("gzip"))
        assert "Content-Encoding" not in response.headers
        assert not response.headers.get("ETag", "").endswith('-gzip"')
    move = await game.first_move()
    acted = await undecoded.post(
        f"{game.path}/actions", json=move, headers={**bearer_header(game.owner_token), **accept_encoding("gzip")}
    )
    assert acted.status == 200
    assert "Content-Encoding" not in acted.headers
    assert acted.headers["ETag"] == f'"{(await acted.json())["version"]}-{(await acted.json())["digest"]}"'


async def test_responses_with_tokens_are_never_compressed(undecoded: ClientSession) -> None:
    """Their length would tell about the tokens (BREACH)."""
    body = {"players": [{"name": "Ana"}, {"open": True}]}
    created = await undecoded.post("/v1/games?include=legal_moves", json=body, headers=accept_encoding("gzip"))
    assert int(created.headers["Content-Length"]) > MIN_COMPRESSED_BYTES
    path = created.headers["Location"]
    joined = await undecoded.post(f"{path}/seats", json={"name": "Bo"}, headers=accept_encoding("gzip"))
    assert int(joined.headers["Content-Length"]) > MIN_COMPRESSED_BYTES
    for response in (created, joined):
        assert response.headers["Cache-Control"] == "no-store"
        assert "Content-Encoding" not in response.headers
        assert "-gzip" not in response.headers["ETag"]


async def test_an_event_stream_is_not_compressed(undecoded: ClientSession, game: HTTPGame) -> None:
    headers = {**accept_encoding("gzip"), "Accept": "text/event-stream"}
    async with undecoded.get(f"{game.path}/diffs", headers=headers) as stream:
        assert "Content-Encoding" not in stream.headers
        assert (await stream.content.readline()).startswith(b"id: ")


async def test_the_compressed_responses_tag_is_an_if_match(undecoded: ClientSession, game: HTTPGame) -> None:
    tag = (await undecoded.get(game.path, headers=accept_encoding("gzip"))).headers["ETag"]
    assert tag.endswith('-gzip"')
    assert (await game.act(await game.first_move(), **{"If-Match": tag})).status == 200


@pytest.mark.parametrize("path", ("/openapi.json", "/asyncapi.json", "/docs", "/favicon.svg"))
async def test_static_files_are_compressed_with_gzip(undecoded: ClientSession, path: str) -> None:
    plain = await undecoded.get(path, headers=accept_encoding("gzip;q=0, deflate"))
    assert "Content-Encoding" not in plain.headers
    packed = await undecoded.get(path, headers=accept_encoding("deflate;q=0.5, gzip"))
    assert_compressed(packed, "gzip")
    assert gzip.decompress(await packed.read()) == await plain.read()
    for tag in (plain.headers["ETag"], packed.headers["ETag"]):
        same = await undecoded.get(path, headers={"If-None-Match": f"W/{tag}"})
        assert (same.status, same.headers["ETag"], same.headers["Vary"]) == (304, tag, packed.headers["Vary"])

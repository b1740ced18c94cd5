"""Compression, languages and media types are negotiated, each with entity tags of its own."""

import gzip
import threading
import zlib
from collections.abc import AsyncIterator, Callable
from random import Random
from typing import Any

import pytest
from aiohttp import ClientResponse, ClientSession
from aiohttp.web import ContentCoding
from multidict import CIMultiDict

from service.web.headers import MAX_LIST_LENGTH, join_lines, negotiate_coding, negotiate_language, prefers_media_type
from service.web.responses import MAX_SYNC_BYTES, MIN_COMPRESSED_BYTES, CompressibleResponse
from tests.web.app_server import Client, mocked_request
from tests.web.http_game import IDENTITY, JSON, HTTPGame, bearer_header, create_game
from tests.web.watcher_client import WatcherClient

DECODERS: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.decompress, "deflate": zlib.decompress}

LARGE = ("", "/diffs?limit=100", "/story", "/legal-moves", "/scores", "/features", "/tiles", "/board.svg", "/board.txt")
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
    plain = await undecoded.get(path, headers=IDENTITY)
    assert "Content-Encoding" not in plain.headers
    assert "Accept-Encoding" in plain.headers["Vary"]
    body = await plain.read()
    response = await undecoded.get(path, headers=accept_encoding(coding))
    assert_compressed(response, coding)
    assert DECODERS[coding](await response.read()) == body
    assert len(body) > MIN_COMPRESSED_BYTES
    assert int(response.headers["Content-Length"]) < len(body) / (8 if "/diffs" in path else 1.5)
    tag = plain.headers["ETag"]
    assert response.headers["ETag"] == f'{tag[:-1]}-{coding}"'
    for client_tag in (tag, f'{tag[:-1]}-gzip"', f'{tag[:-1]}-deflate"'):
        for sent in (client_tag, f"W/{client_tag}", f'"other", {client_tag}'):
            same = await undecoded.get(path, headers={**accept_encoding(coding), "If-None-Match": sent})
            assert (same.status, same.headers["ETag"]) == (304, client_tag)
            assert same.headers["Vary"] == response.headers["Vary"]


async def test_large_responses_do_not_block_the_event_loop(
    undecoded: ClientSession, game: HTTPGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are compressed in a thread, which takes longer for small ones."""
    compressed_in_loop: list[int] = []
    compress, loop_thread = zlib.compress, threading.get_ident()

    def record(data: bytes, **options: int) -> bytes:
        if threading.get_ident() == loop_thread:
            compressed_in_loop.append(len(data))
        return compress(data, **options)

    monkeypatch.setattr(zlib, "compress", record)
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
    headers = {**bearer_header(game.owner_token), **accept_encoding("gzip")}
    response = await undecoded.post(f"{game.path}/actions", json=move, headers=headers)
    assert response.status == 200
    assert "Content-Encoding" not in response.headers
    acted = await response.json()
    assert response.headers["ETag"] == f'"{acted["version"]}-{acted["digest"]}"'


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


@pytest.mark.parametrize("path", ("/openapi.json", "/asyncapi.json", "/docs", "/favicon.svg", "/games/none"))
async def test_static_files_are_compressed_with_gzip(undecoded: ClientSession, path: str) -> None:
    plain = await undecoded.get(path, headers=accept_encoding("gzip;q=0, deflate"))
    assert "Content-Encoding" not in plain.headers
    packed = await undecoded.get(path, headers=accept_encoding("deflate;q=0.5, gzip"))
    assert_compressed(packed, "gzip")
    assert gzip.decompress(await packed.read()) == await plain.read()
    for tag in (plain.headers["ETag"], packed.headers["ETag"]):
        same = await undecoded.get(path, headers={"If-None-Match": f"W/{tag}"})
        assert (same.status, same.headers["ETag"], same.headers["Vary"]) == (304, tag, packed.headers["Vary"])


FRENCH = {"Accept-Language": "fr-CA, en;q=0.5"}


@pytest.mark.parametrize(
    ("header", "language"),
    (
        *(("fr", "fr"), ("de", "de"), ("en", "en"), ("FR", "fr"), ("fr-CA", "fr"), ("de-Latn-AT-1996", "de")),
        *(("", "en"), ("es", "en"), ("*", "en"), ("es, *", "en"), ("es, fr;q=0.1", "fr"), ("frx", "en")),
        *(("en;q=0.5, de;q=0.8, fr;q=0.7", "de"), ("de;q=0.5,fr;q=0.5", "fr"), ("fr;q=0.001, en;q=0", "fr")),
        *(("en;q=0, *", "fr"), ("en;q=0, fr;q=0, *;q=0.1", "de"), ("*;q=0", "en"), ("fr;q=0, de;q=0, en;q=0", "en")),
        *(("fr-CA;q=0, fr", "fr"), ("fr-CA;q=0, en;q=0, *", "fr"), ("de;q=0.2, fr;q=0.5, de-AT", "de")),
        *(("en-GB;q=0.3, en-US;q=0.9, fr;q=0.5", "en"), ("fr;Q=1.000", "fr"), ("fr ; q=0.9 , de ; q=1", "de")),
        ("fr;q=1.5, de", "de"),
        *(("fr;q=x, ;;, de;q=0.1", "de"), ("\u00e9, fr", "fr"), (",,,", "en"), ("de-DE, de;q=0.2, fr;q=0.5", "de")),
        (", ".join(["es"] * 64) + ", fr", "en"),
    ),
)
def test_the_preferred_language_is_chosen(header: str, language: str) -> None:
    assert negotiate_language([header]) == language


def test_all_lines_count() -> None:
    assert (negotiate_language([]), negotiate_language(["de;q=0.1", "fr;q=0.2"])) == ("en", "fr")


async def test_legal_moves_are_in_the_requested_language(client: Client) -> None:
    game = await create_game(client, seed="tides")
    languages = ("en", "fr-CA", "de")
    responses = [await game.get("/legal-moves", **{"Accept-Language": language}) for language in languages]
    assert [one.headers["Content-Language"] for one in responses] == ["en", "fr", "de"]
    assert {one.headers["Vary"] for one in responses} == {"Accept-Encoding, Accept-Language"}
    bodies = [await one.json() for one in responses]
    assert [one["language"] for one in bodies] == ["en", "fr", "de"]
    assert [one["moves"][0]["text"].split()[0] for one in bodies[:2]] == ["place", "poser"]
    assert bodies[2]["moves"][0]["text"].startswith("Karte 1 Feld ")
    without_texts = [[{**move, "text": None} for move in one["moves"]] for one in bodies]
    assert without_texts[0] == without_texts[1] == without_texts[2]
    assert "Content-Language" not in (await game.act(await game.first_move(), **FRENCH)).headers  # has no texts


@pytest.mark.parametrize("path", ("/legal-moves", "/story"))
async def test_responses_in_other_languages_have_other_etags(client: Client, path: str) -> None:
    """RFC 9110, 8.8.3: a strong tag identifies the bytes."""
    http_game = await create_game(client)
    tags = {
        language: (await http_game.get(path, **{"Accept-Language": language}, **IDENTITY)).headers["ETag"]
        for language in ("en", "fr", "de")
    }
    game = (await http_game.get(**IDENTITY)).headers["ETag"]
    assert tags == {"en": game, "fr": f'{game[:-1]}-fr"', "de": f'{game[:-1]}-de"'}
    for accept_language, own_etag in tags.items():
        for cached, tag in tags.items():
            accepted = {"Accept-Language": accept_language, **IDENTITY}
            answer = await http_game.get(path, **accepted, **{"If-None-Match": tag})
            assert answer.status == (304 if accept_language == cached else 200)
            assert (answer.headers["Vary"], answer.headers["ETag"]) == ("Accept-Encoding, Accept-Language", own_etag)


async def test_moves_are_searched_and_cells_named_in_the_requested_language(client: Client) -> None:
    game = await create_game(client, seed="tides")
    english = (await game.get_json("/legal-moves?q=TURNED"))["moves"]
    french = (await (await game.get("/legal-moves?q=tourn%C3%89e", **FRENCH)).json())["moves"]
    assert [move["id"] for move in french] == [move["id"] for move in english] != []
    assert (await (await game.get("/legal-moves?q=turned", **FRENCH)).json())["moves"] == []
    cells = (await (await game.get("/legal-moves?stage=cell", **FRENCH)).json())["cells"]
    assert all("coup" in cell["text"] for cell in cells)


async def test_included_moves_are_in_the_requested_language(client: Client) -> None:
    body = {"players": [{"name": "Ana"}, {"open": True}]}
    created = await client.post("/v1/games?include=legal_moves", json=body, headers=FRENCH)
    assert created.headers["Content-Language"] == "fr"
    path = created.headers["Location"]
    joined = await client.post(f"{path}/seats?include=legal_moves", json={"name": "Bo"}, headers=FRENCH)
    assert (joined.headers["Content-Language"], joined.headers["Vary"]) == ("fr", "Accept-Language")
    moves = (await joined.json())["legal_moves"]
    assert moves["language"] == "fr"
    tokens = {"owner": (await created.json())["owner_token"], "seat": (await joined.json())["token"]}
    token = tokens["seat"] if moves["seat"] else tokens["owner"]
    acted = await client.post(
        f"{path}/actions?include=legal_moves",
        json={"move": moves["moves"][0]["id"]},
        headers={**bearer_header(token), "Accept-Language": "de"},
    )
    assert acted.headers["Content-Language"] == "de"
    assert acted.headers["Vary"] == "Authorization, Accept-Encoding, Accept-Language"
    assert (await acted.json())["legal_moves"]["moves"][-1]["text"] == "keinen Insulaner setzen"


async def test_a_socket_uses_the_language_of_its_upgrade(client: Client) -> None:
    game = await create_game(client)
    move: dict[str, Any] = {"move": (await game.legal_moves())[0]["id"], "include": "legal_moves"}
    async with client.ws_connect("/v1/ws", headers={**bearer_header(game.owner_token), **FRENCH}) as socket:
        watcher = WatcherClient(socket)
        await watcher.receive("welcome")
        passing = {"type": "act", "game": game.id, "action": {"type": "pass"}}
        error = await watcher.request_error(passing, "illegal_move")
        assert error["problem"]["detail"].startswith("impossible de passer")
        ack = await watcher.request({"type": "act", "id": "c", "game": game.id, **move}, "ack")
        assert ack["legal_moves"]["language"] == "fr"
        assert ack["legal_moves"]["moves"][-1]["text"] == "ne pas placer d’insulaire"


async def test_only_problems_of_malformed_requests_are_in_english(client: Client) -> None:
    game = await create_game(client)
    details = [(await (await game.act(body, **FRENCH)).json())["detail"] for body in ({"action": {"type": "pass"}}, {})]
    assert details[0].startswith("impossible de passer à cette étape")
    assert details[1].startswith("exactly one of `action`, `move` and `actions` is required")


@pytest.mark.parametrize("path", ("/board.txt?side=1", "/board.txt?side=1&v=1", "/tiles"))
async def test_boards_and_tiles_are_in_the_requested_language(client: Client, path: str) -> None:
    """Each language has its own entity tag, so that caches and clients do not mix them up."""
    game = await create_game(client, seed="tides")
    words = {"en": "island tip", "fr": "pointe d’île", "de": "Inselspitze"}
    tags = set()
    for language, word in words.items():
        response = await game.get(path, **{"Accept-Language": language})
        assert word in await response.text()
        assert response.headers["Content-Language"] == language
        assert "Accept-Language" in response.headers["Vary"]
        tag = response.headers["ETag"]
        unchanged = await game.get(path, **{"Accept-Language": language, "If-None-Match": tag})
        assert (unchanged.status, unchanged.headers["Content-Language"]) == (304, language)
        tags.add(tag)
    assert len(tags) == len(words)


async def test_a_board_and_a_ship_are_labelled_in_words(client: Client) -> None:
    """No label has an id, and a PNG has no words."""
    game = await create_game(client, seed="tides")
    ship = "/v1/tilesets/lagoon/ships/s10"
    labels = {
        f"{game.path}/board": ("Carcassonne board, turn 1", "Plateau de Carcassonne, tour 1"),
        ship: ("ship of 3 points for 1 shell and 3 fish", "navire à 3 points pour 1 coquillage et 3 poissons"),
    }
    for path, texts in labels.items():
        for language, text in zip(("en", "fr"), texts, strict=True):
            response = await client.get(f"{path}.svg", headers={"Accept-Language": language})
            assert f'aria-label="{text}"' in await response.text()
            assert response.headers["Content-Language"] == language
            assert "Accept-Language" in response.headers["Vary"]
        assert "Accept-Language" not in (await client.get(f"{path}.png")).headers.get("Vary", "")


STREAM = "text/event-stream"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"


@pytest.mark.parametrize(
    ("header", "coding"),
    (
        *(("gzip", "gzip"), ("deflate", "deflate"), ("gzip, deflate, br, zstd", "gzip"), ("deflate, gzip", "gzip")),
        *(("GZIP", "gzip"), ("gzip;q=0.5, deflate", "deflate"), ("gzip ; q=0.2 , deflate ; q=0.1", "gzip")),
        *(("*", "gzip"), ("gzip;q=0, *", "deflate"), ("br, *;q=0.1", "gzip"), ("*;q=0", None), ("", None)),
        *(("gzip;q=0", None), ("gzip;q=0, deflate;q=0", None), ("br", None), ("identity", None), ("gzipped", None)),
        *(("identity, gzip;q=0.5", None), ("identity;q=0.5, gzip;q=0.5", "gzip"), ("identity;q=0, gzip", "gzip")),
        *(("gzip;q=2, deflate", "deflate"), ("gzip;q=x", None), (",,;q=1,", None), ("\u00e9, gzip", "gzip")),
    ),
)
def test_the_preferred_coding_is_chosen(header: str, coding: str | None) -> None:
    chosen = negotiate_coding(header)
    assert chosen == (None if coding is None else ContentCoding(coding))


@pytest.mark.parametrize(
    ("lines", "coding"), (((), None), (("gzip;q=0.1", "deflate;q=0.2"), ContentCoding.deflate), (("br",), None))
)
async def test_all_lines_of_the_header_count_and_none_means_no_compression(
    lines: tuple[str, ...], coding: ContentCoding | None
) -> None:
    headers = CIMultiDict(("Accept-Encoding", line) for line in lines)
    response = CompressibleResponse(body=b"a" * 2000)
    await response.prepare(mocked_request("GET", "/", headers=headers))
    assert response.headers.get("Content-Encoding") == (None if coding is None else coding.value)


@pytest.mark.parametrize(
    ("header", "streams"),
    (
        *((STREAM, True), ("TEXT/Event-Stream", True), (f"{STREAM}; charset=utf-8", True), (f"{STREAM}, */*", True)),
        *(("text/*", True), ("text/*, */*;q=0.9", True), (f"{STREAM}, {JSON};q=0.9", True)),
        *((f"{STREAM};q=0.5, */*;q=0.1", True), (f"{JSON};q=0, */*", True)),
        *(("", False), ("*/*", False), (JSON, False), (BROWSER, False), ("text/plain", False)),
        *((f"{JSON};q=0.5", False), (f"{STREAM};q=0", False)),
        *((f"{STREAM};q=0.9, {JSON}", False), (f"{JSON}, {STREAM};q=0.5", False)),
        # Generated clients list every type of a response.
        *((f"{STREAM}, {JSON}, application/problem+json", False), (f"{JSON}, {STREAM}", False)),
        *((f"x{STREAM}", False), (f"{STREAM}er", False)),
    ),
)
def test_the_preferred_media_type_is_chosen(header: str, streams: bool) -> None:
    request = mocked_request("GET", "/", headers={"Accept": header})
    assert prefers_media_type(request, STREAM, JSON) is streams


def test_a_long_header_is_cut_after_an_element() -> None:
    assert join_lines(["gzip;q=0.5", "br"]) == "gzip;q=0.5,br"
    assert join_lines(["a" * (MAX_LIST_LENGTH - 4), "gzip;q=0"]) == "a" * (MAX_LIST_LENGTH - 4)

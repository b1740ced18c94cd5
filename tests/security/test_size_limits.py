"""Everything that a client can make long, large or numerous has a limit, and so have names."""

import asyncio
import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import sha256
from unittest.mock import Mock

import msgspec
import pytest

from schemas.lobby import CreateGame
from schemas.player_names import is_visible, name_key, normalize_name
from service.store.game_store import RedisStore
from service.web.connection import MAX_DISCARDED_BYTES, ClientConnection
from service.web.headers import MAX_LIST_ELEMENTS, MAX_LIST_LENGTH
from service.web.limits import Limits
from service.web.problems import MAX_FIELD_BYTES, MAX_HEADERS, MAX_TARGET_BYTES
from tests.polling import wait_until, wait_until_unchanged
from tests.security.request_costs import Data, send
from tests.web.app_server import Client, serve
from tests.web.http_game import JSON, check_problem, create_game
from tests.web.raw_http import UPGRADE, make_head, open_connection, read_to_end, send_raw


async def test_the_number_of_headers_is_limited(client: Client) -> None:
    for number, status in ((MAX_HEADERS - 5, 200), (MAX_HEADERS + 1, 400)):
        head = make_head("/livez", *(f"X-{index}: x" for index in range(number)))
        assert (await send_raw(client, head)).status == status


async def test_the_bytes_of_a_header_are_limited(client: Client) -> None:
    """Its name and value together, whether or not its end has arrived."""
    longest = "X: " + "a" * (MAX_FIELD_BYTES - 1)
    assert (await send_raw(client, make_head("/livez", longest))).status == 200
    async with open_connection(client) as (reader, writer):
        writer.write(make_head("/livez", longest + "aa")[:-4])
        assert f"at most {MAX_FIELD_BYTES} bytes".encode() in await read_to_end(reader)


@pytest.mark.parametrize("target", ("/v1/games?x=", "/"))
async def test_the_bytes_of_a_target_are_limited(client: Client, target: str) -> None:
    """As it is written: path and query."""
    longest = target.ljust(MAX_TARGET_BYTES, "a")
    assert (await send_raw(client, make_head(longest))).status in (200, 404)
    for more in ("a", "a" * 300_000):
        refused = await send_raw(client, make_head(longest + more))
        assert (refused.status, json.load(refused)["code"]) == (414, "uri_too_long")


@pytest.mark.parametrize(
    "name",
    (
        *("Accept", "Accept-Encoding", "Accept-Language", "If-Match", "If-None-Match", "Prefer"),
        *("Sec-WebSocket-Extensions", "Sec-WebSocket-Protocol"),
    ),
)
async def test_a_list_is_limited_over_all_its_lines(client: Client, name: str) -> None:
    """Before it is parsed, and the request is charged."""
    for lines, is_too_much in (
        ([f"{name}: a", f"{name}: {'a' * (MAX_LIST_LENGTH - 2)}"], False),
        ([f"{name}: a", f"{name}: {'a' * (MAX_LIST_LENGTH - 1)}"], True),
        ([f"{name}: " + "," * (MAX_LIST_ELEMENTS // 2 - 1)] * 2, False),
        ([f"{name}: " + "," * (MAX_LIST_ELEMENTS // 2 - 1)] * 2 + [f"{name}: b"], True),
    ):
        response = await send_raw(client, make_head("/v1/bots", *lines))
        assert "RateLimit" in response.headers
        refused = json.loads(response.read()) if response.status == 400 else {}
        assert ("elements" in refused.get("detail", "")) == is_too_much
        assert not is_too_much or (refused["code"], refused["path"]) == ("malformed", name)


EVIL = (
    ("Authorization", "Bearer " + "a," * 3_900),
    ("Authorization", "Bearer " + " " * 8_000 + "!"),
    *(("If-Match", '"' * 8_000), ("If-None-Match", 'W/"' * 2_600), ("If-None-Match", '"a" ' * 2_000 + "!")),
    *(("Prefer", ";" * 4_000 + "," * 4_000), ("Accept-Language", "a;q=0.1," * 1_000)),
    *(("Accept-Language", f"fr;{' ' * 7_000}q"), ("Accept", f"gzip;{' ' * 7_000}q"), ("Accept", "a" + ";" * 7_000)),
    *(("Accept-Language", "-" * 8_000), ("Accept", "text/event-strea," * 480)),
    *(("Last-Event-ID", "1" * 8_000), ("X-Forwarded-For", "1.1.1.1, " * 880)),
    ("Sec-WebSocket-Extensions", "permessage-deflate; " * 400),
    ("Idempotency-Key", " " * 4_000 + "\x7f"),
)


@pytest.mark.parametrize(("name", "value"), EVIL)
async def test_no_header_takes_long_to_parse(client: Client, name: str, value: str) -> None:
    """What would be tried in every way there is would not end while the test runs."""
    game = await create_game(client)
    for path in ("/diffs", "/actions", "/ws"):
        method = "POST" if path == "/actions" else "GET"
        head = make_head(game.path + path, "Content-Length: 0", f"{name}: {value}", method=method)
        assert (await send_raw(client, head)).status < 500


READ_BYTES = 262_144
"""Bytes that the event loop reads at once."""


def head(path: str, *lines: str) -> bytes:
    """Return the head of a POST."""
    return make_head(path, f"Content-Type: {JSON}", *lines, method="POST")


def chunked(path: str, chunk: bytes, number: int) -> Data:
    """Return a body in so many chunks."""

    def parts() -> Iterable[bytes]:
        yield head(path, "Transfer-Encoding: chunked")
        for _ in range(number // 1_000):
            yield chunk * 1_000
        yield b"0\r\n\r\n"

    return parts


def large_body(path: str, *lines: str, before: bytes = b"", filled_with: bytes = b"a") -> Data:
    """Return a body of 200 MB."""

    def parts() -> Iterable[bytes]:
        yield head(path, *lines) + before
        megabyte = filled_with * 1_000_000
        for _ in range(200):
            yield megabyte

    return parts


LENGTH, CHUNKED = "Content-Length: 200000000", "Transfer-Encoding: chunked"
STREAM = "Accept: text/event-stream"

FLOODS: dict[str, tuple[Data, int]] = {
    "a long body, 404": (large_body("/nowhere", LENGTH), 404),
    "a long body, 405": (large_body("/livez", LENGTH), 405),
    "a long body, 413": (large_body("/v1/games", LENGTH), 413),
    "a long chunk, 404": (large_body("/nowhere", CHUNKED, before=b"bebc200\r\n"), 404),
    "a long chunk, 413": (large_body("/v1/games", CHUNKED, before=b"bebc200\r\n"), 413),
    "small chunks, 404": (chunked("/nowhere", b"1\r\n \r\n", 1_000_000), 404),
    "small chunks, 400": (chunked("/v1/games", b"1\r\n \r\n", 1_000_000), 400),
    "a long extension, 404": (large_body("/nowhere", CHUNKED, before=b"1;"), 404),
    "extensions, 404": (chunked("/nowhere", b"1;" + b"a" * 2_000 + b"\r\n \r\n", 10_000), 404),
    "after an upgrade, 413": (large_body("/v1/games", *UPGRADE[:2], LENGTH), 413),
    "after a CONNECT, 405": (lambda: (b"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", bytes(20_000_000)), 405),
    "a chunk's size, 404": (large_body("/nowhere", CHUNKED, filled_with=b"0"), 404),
}


@pytest.mark.usefixtures("short_linger")
@pytest.mark.parametrize("name", FLOODS)
async def test_an_unwanted_body_is_not_read_on(store: RedisStore, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    accept, connections = ClientConnection.connection_made, []

    def record(connection: ClientConnection, transport: asyncio.BaseTransport) -> None:
        connections.append(connection)
        accept(connection, transport)

    monkeypatch.setattr(ClientConnection, "connection_made", record)
    data, status = FLOODS[name]
    async with serve(store) as client:
        assert (await send(str(client.make_url("/")), data)).startswith(b"HTTP/1.1 %d " % status)
    (connection,) = connections
    assert 0 < connection.discarded_bytes <= MAX_DISCARDED_BYTES + READ_BYTES


@pytest.mark.usefixtures("short_linger")
@pytest.mark.parametrize(("line", "begin"), (("Content-Length: 10000", b"{"), (CHUNKED, b"1\r\n{\r\n")))
async def test_a_slow_body_times_out(store: RedisStore, line: str, begin: bytes) -> None:
    async with (
        serve(store, Limits(request_timeout_s=1.0)) as client,
        open_connection(client) as (reader, writer),
        asyncio.TaskGroup() as tasks,
    ):
        writer.write(head("/v1/games", line) + begin)
        answer = tasks.create_task(reader.readuntil(b"\r\n\r\n"))

        def sends_more_in_vain() -> bool:
            writer.write(b"0")
            return answer.done()

        await wait_until(sends_more_in_vain)
        assert answer.result().startswith(b"HTTP/1.1 400")


def pipelined_requests(size: int) -> bytes:
    """Return many pipelined requests with such bodies."""
    return (b"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % size + bytes(size)) * 32


async def wait_for_connection(client: Client, such: Callable[[ClientConnection], bool]) -> ClientConnection:
    """Return the server's side of a connection, once it meets a condition."""
    await wait_until(lambda: any(map(such, client.connections)))
    return next(filter(such, client.connections))


@pytest.mark.parametrize("size", (20_000, 500_000))
async def test_pipelined_bodies_are_not_buffered(store: RedisStore, size: int) -> None:
    """They wait behind answers that nobody reads, what was read at once with aiohttp, the rest with the client."""
    async with serve(store) as client, open_connection(client) as (_, writer):
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # it is a transport for reading, too
        connection = await wait_for_connection(client, lambda _: True)
        answers = 0

        def is_answered() -> bool:
            return connection.writing_paused or (connection.request is None and connection.begun_requests == answers)

        while not connection.writing_paused:
            writer.write(make_head("/openapi.json"))
            answers += 1
            await wait_until(is_answered)
        received_before = connection.received_bytes
        writer.write(pipelined_requests(size))
        await wait_for_connection(client, lambda one: one.is_ahead)
        await wait_until_unchanged(lambda: connection.received_bytes)
        assert 0 < connection.received_bytes - received_before <= READ_BYTES


INVISIBLE = ("\u200b", "\u2060\u2060", "\u3164", "\u2800", "\u0301", "\ufe0f", " \u00a0\u2003", "\u034f", "\U000e0041")
NOTHING = ("\ufffc", "\U00013441\U00013442", "A\ufffcna", "\u0378", "\U0001fffd")
"""What prints nothing: objects in a text, and unassigned characters alone."""
HIDING = ("Ana\u202e", "A\u200bna", "\u2066Ana\u2069", "Ana\u3164", "A\x07na", "Ana\u2028x", "\ufeffAna", "A\u00adna")
JOINING_NOTHING = (
    *("A\u200dna", "An\u200ca", "\u0639\u200c", "\u200d\U0001f469", "\U0001f469\u200d", "a\u200d\U0001f469"),
)
RESERVED = ("A\ufffe", "A\ufdd0", "A\ue000", "A\u2065", "\U000e0fff", "A\U0001343f", "A\U0010ffff")

ALIKE = (
    *("ana lee", "ANA LEE", "  Ana Lee ", "Ana\u00a0Lee", "Ana  Lee", "Ana Lee\ufe0f"),
    *("\uff21\uff4e\uff41 \uff2c\uff45\uff45", "\U0001d400na Lee"),
)
"""Spellings of `Ana Lee`."""

SHOWN_AS_THEY_ARE = (
    *("\u2764\ufe0f", "\U0001f469\U0001f3fd", "\u845b\U000e0100"),
    *("\u0639\u0644\u064a", "\u0915\u094d\u0937", "a" * 32, "..."),
    # Persian; Sinhala and Malayalam
    *("\u0639\u0644\u06cc\u200c\u0631\u0636\u0627", "\u0627\u0645\u06cc\u0631\u200c\u062d\u0633\u06cc\u0646"),
    *("\u0dc1\u0dca\u200d\u0dbb\u0dd3", "\u0915\u094d\u200c\u0937", "\u0d05\u0d30\u0d41\u0d23\u0d4d\u200d"),
    *("\u09b0\u200d\u09cd\u09af\u09be\u099a\u09c7\u09b2", "\u0c86\u0cb0\u200d\u0ccd\u0caf"),  # Bengali, Kannada
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "\U0001f469\u200d\u2764\ufe0f\u200d\U0001f468",
    "\U0001f469\U0001f3fd\u200d\U0001f680",
    "\U0001f642\u200d\u2194\ufe0f",
    *("\U0001fae8", "\U0001fae9", "\U0001fac6\u200d\U0001fadc", "\ua7cb", "a\U0001fbfa"),  # Unicode 15 to 17
)


ANSWERS = "33031584044c1adb89307f583d94d511d8d54d5b3227de9a810336fbf9449648"
"""The hash of the answers for all characters, some of them in a sequence."""


async def test_a_bad_name_is_rejected_wherever_a_player_gets_one(client: Client) -> None:
    game = await create_game(client, [{"name": "Ana Lee"}, {"open": True}])
    hidden, other = "A\u200bna", {"bot": "random", "name": "Bo"}
    await check_problem(await game.join(hidden), 400, "malformed", "$.name")
    await check_problem(await game.join("ANA LEE"), 409, "conflict")
    for players, status, code, path in (
        ([{"name": hidden}, other], 400, "malformed", "$.players[0].name"),
        ([other, {"bot": "random", "name": hidden}], 400, "malformed", "$.players[1].name"),
        ([{"name": "Ana Lee"}, {"name": "ANA LEE"}], 409, "conflict", None),
    ):
        await check_problem(await client.post("/v1/games", json={"players": players}), status, code, path)
    assert (await (await game.join(" Ana\u0301 ")).json())["game"]["players"][1]["name"] == "An\u00e1"


@pytest.mark.parametrize("name", (*INVISIBLE, *NOTHING, *HIDING, *JOINING_NOTHING, *RESERVED, "\u0958" * 17), ids=ascii)
def test_invisible_names_and_hidden_characters_are_rejected(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        normalize_name(name)


@pytest.mark.parametrize("name", ALIKE, ids=ascii)
def test_another_spelling_is_the_same_name(name: str) -> None:
    assert name_key(normalize_name(name)) == name_key("Ana Lee") != name_key("Ana Leek")


def test_names_that_differ_in_joiners_only_are_the_same() -> None:
    for name in ("\u0639\u0644\u06cc\u200c\u0631\u0636\u0627", "\U0001f468\u200d\U0001f469"):
        assert name_key(name) == name_key(name.replace("\u200c", "").replace("\u200d", ""))


@pytest.mark.parametrize(
    ("name", "shown"), ((" Ana\u0301 ", "An\u00e1"), *((name, name) for name in SHOWN_AS_THEY_ARE)), ids=ascii
)
def test_names_of_all_scripts_are_accepted_trimmed_and_in_nfc(name: str, shown: str) -> None:
    assert normalize_name(name) == shown


def test_the_length_of_a_name_is_that_of_its_normal_form() -> None:
    assert len(normalize_name("\u0958" * 16)) == 32


def test_every_supported_python_answers_alike() -> None:
    """Each knows another version of Unicode. If this fails on a new Python, UNICODE_14 lacks what is new or changed."""
    answers = sha256()
    for character in map(chr, (*range(0x20000), *range(0xE0000, 0xE1000))):
        try:
            name = normalize_name(f"a{character}\u0323\u0301")
        except ValueError:
            name = ""
        key = name_key(f"{character}\u0323")
        answers.update(f"{name}\t{key}\t{is_visible(character)}\n".encode("utf-8", "surrogatepass"))
    assert answers.hexdigest() == ANSWERS


async def test_bots_of_the_same_name_are_numbered(client: Client) -> None:
    greedy = {"bot": "greedy"}
    game = await create_game(client, [greedy, {"name": "Greedy"}, greedy, {"bot": "greedy", "name": "GREEDY"}])
    names = [player["name"] for player in (await game.get_json())["players"]]
    assert names == ["Greedy 2", "Greedy", "Greedy 3", "GREEDY 4"]
    long = "a" * 32
    other = await create_game(client, [{"bot": long, "name": long} | greedy, {"bot": "greedy", "name": long}])
    assert [player["name"] for player in (await other.get_json())["players"]] == [long, "a" * 30 + " 2"]


def test_no_name_is_normalized_before_the_number_of_seats_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body has room for thousands."""
    monkeypatch.setattr("schemas.lobby.normalize_name", normalize := Mock(side_effect=normalize_name))
    for seats in (2, 5_000):
        with suppress(msgspec.ValidationError):
            msgspec.json.decode(msgspec.json.encode({"players": [{"name": "Ana"}] * seats}), type=CreateGame)
        assert normalize.call_count == 2

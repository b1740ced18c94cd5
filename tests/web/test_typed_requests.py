"""Parameters and headers are decoded into typed requests, and an invalid one is named."""

from collections.abc import Mapping
from typing import Any
from unittest.mock import Mock

import pytest
from multidict import CIMultiDict

from service.games.errors import Malformed
from service.games.ports import Revision
from service.web.headers import match_entity_tag
from service.web.routes.actions import SeatRequest
from service.web.routes.board_images import BoardSvg, BoardText
from service.web.routes.game_state import LegalMovesRead, LogRead, StoryRead
from service.web.routes.games import Creation, GameList, MyGameList
from service.web.routes.tilesets import ShipPng, TileSvg
from service.web.routing import RequestDecoder, TypedRequest
from tests.web.app_server import mocked_request

GAME, DIGEST = "k7m2x9qd4t1w", "0f3a5c1e9b7d2846a0c4e8f1b3d59627"
SECRET = "6e2f0c9b8d4a7153f0e1d2c3b4a59687"


async def decode(kind: type[TypedRequest], query: str = "", headers: Mapping[str, str] | None = None) -> Any:
    parts = {"id": GAME, "tile": "start", "ship": "s01"}
    request = mocked_request("GET", f"/?{query}", headers, match_info=parts)
    return await RequestDecoder(kind).decode(request, Mock())


@pytest.mark.parametrize(
    ("kind", "query", "path"),
    (
        *((LegalMovesRead, query, query[0]) for query in ("x=a", "x=1.5", "y=2147483648", "y=null", f"q={'q' * 101}")),
        *((LegalMovesRead, f"cursor={cursor}", "cursor") for cursor in ("x", "-1", "1e9", "%C2%B2", "1234567")),
        *((LegalMovesRead, f"limit={limit}", "limit") for limit in ("0", "1001", "1&limit=2", "null")),
        *((kind, f"limit={limit}", "limit") for kind in (LogRead, StoryRead) for limit in ("0", "1001")),
        *((LogRead, f"since={since}", "since") for since in ("-1", "x", "2147483648", "9" * 400)),
        *((LegalMovesRead, "stage=x", "stage"), (StoryRead, "since=x", "since"), (SeatRequest, "include=x", "include")),
        *((GameList, f"cursor={cursor}", "cursor") for cursor in ("x", "%00", "-1", "1e9", "%C3%A9", "c" * 201)),
        *((kind, "limit=101", "limit") for kind in (GameList, MyGameList)),
        *((GameList, "limit=&limit=5", "limit"), (GameList, "status=open", "status")),
        *((BoardSvg, f"width={width}", "width") for width in ("x", "15", "-1", "2147483648")),
        *((BoardSvg, f"region={region}", "region") for region in ("1,2,3", "a,b,c,d", "0,0,0,99999", "0,0,0,%D9%A1")),
        *((BoardSvg, "coordinates=2", "coordinates"), (BoardSvg, "last=yes", "last"), (BoardSvg, "side=-1", "side")),
        *((BoardSvg, "theme=sepia", "theme"), (BoardSvg, "v=old", "v"), (BoardSvg, "v=1&v=2", "v")),
        *((BoardText, "width=x", "width"), (ShipPng, "width=1", "width"), (TileSvg, "theme=x", "theme")),
        *((TileSvg, "rotation=4", "rotation"), (TileSvg, "rotation=x", "rotation")),
    ),
)  # fmt: skip
async def test_an_invalid_query_is_malformed(kind: type[TypedRequest], query: str, path: str) -> None:
    with pytest.raises(Malformed) as refusal:
        await decode(kind, query)
    assert refusal.value.path == path


async def test_empty_parameters_are_absent_and_unknown_ones_ignored() -> None:
    assert (await decode(GameList, "status=&limit=&cursor=&utm=%FF%00&x[]=1&=")).query == (await decode(GameList)).query
    board = "width=&region=&coordinates=&last=&side=&candidates=&theme=&v="
    for kind, query in (
        *((LogRead, "since=&limit="), (StoryRead, "since=&limit="), (BoardSvg, board), (BoardText, "width=&region=")),
        (LegalMovesRead, "stage=&x=&y=&q=&limit=&cursor=&effects="),
    ):
        assert (await decode(kind, f"{query}&utm=%FF")).query == (await decode(kind)).query, kind
    moves = (await decode(LegalMovesRead, "x=0.0&limit=5e0&stage=")).query
    assert (moves.x, moves.limit, moves.stage) == (0, 5, None)


@pytest.mark.parametrize(
    ("tags", "versions"),
    (
        *(("*", None), ('"1"', [(1, "")]), (f'"1-{DIGEST}"', [(1, DIGEST)]), (f'W/"1-{DIGEST}"', [(1, DIGEST)])),
        *((f'"1-{DIGEST}{suffix}"', [(1, DIGEST)]) for suffix in ("-gzip", "-deflate", "-fr", "-de-gzip")),
        *((f'"7", W/"1", "x" ,, "1-{DIGEST}-fr"', [(7, ""), (1, DIGEST)]), ('"2", "3"', [(2, ""), (3, "")])),
        *(
            (foreign, [])
            for foreign in ('W/"1"', '"01"', '"1-"', '"x"', '""', f'"1-{DIGEST}-zipped"', "", ",", " , ,, ")
        ),
    ),
)
async def test_if_match_names_versions(tags: str, versions: list[tuple[int, str]] | None) -> None:
    """Elements of a list may be empty (RFC 9110, 5.6.1), and generated clients send empty headers."""
    expected = None if versions is None else [Revision(version, bytes.fromhex(digest)) for version, digest in versions]
    assert (await decode(SeatRequest, headers={"If-Match": tags})).if_match == expected


@pytest.mark.parametrize(
    ("tags", "current"),
    (
        *(("*", '"a"'), ('"a"', '"a"'), (' ,, "x", ,W/"a",', '"a"'), ('"b", "a-gzip"', '"a-gzip"')),
        *(('"b"', None), ("", None), (" , ,, ", None), ('"a-fr"', None)),
    ),
)
def test_if_none_match_finds_the_clients_copy(tags: str, current: str | None) -> None:
    assert match_entity_tag([tags], '"a"') == current


@pytest.mark.parametrize("tag", ("17", "'17'", '"17', '"a" "b"', '"a",x', 'w/"17"', "*, *", ",17"))
async def test_an_invalid_entity_tag_is_malformed(tag: str) -> None:
    with pytest.raises(Malformed) as refusal:
        await decode(SeatRequest, headers={"If-Match": tag})
    assert refusal.value.path == "If-Match"
    with pytest.raises(Malformed) as refusal:
        match_entity_tag([tag], '"a"')
    assert refusal.value.path == "If-None-Match"


@pytest.mark.parametrize(
    ("prefer", "whole"),
    (
        *(("return=representation", True), ('respond-async, RETURN="representation"; x=1', True)),
        *(("return=minimal, wait=5", False), ("", False)),
    ),
)
async def test_prefer_asks_for_the_game(prefer: str, whole: bool) -> None:
    assert (await decode(SeatRequest, headers={"Prefer": prefer})).prefers_game is whole


@pytest.mark.parametrize(
    ("kind", "name", "values"),
    (
        (SeatRequest, "Idempotency-Key", ("", "k" * 256, "a\tb", "\u00e9", " k")),
        (SeatRequest, "Idempotency-Key", None),
        (Creation, "Idempotency-Key", ("", SECRET[1:], SECRET * 8)),
        (Creation, "Creator-Key", ("short", SECRET[1:], SECRET * 7, "a" * 32, "abcdefgh" * 4)),
        (Creation, "Creator-Key", ("with space" * 5, "\u00e9" * 40)),
        (Creation, "Creator-Key", None),
    ),
)
def test_weak_and_malformed_keys_are_rejected(
    kind: type[TypedRequest], name: str, values: tuple[str, ...] | None
) -> None:
    """None stands for two headers."""
    (header,) = (one for one in RequestDecoder(kind).headers.values() if one.name == name)
    assert header.parse([SECRET]) == SECRET
    for lines in [[value] for value in values] if values is not None else [[SECRET, SECRET]]:
        with pytest.raises(Malformed) as refusal:
            header.parse(lines)
        assert refusal.value.path == name


async def test_what_a_request_does_not_have_is_its_default() -> None:
    params = await decode(SeatRequest, headers=CIMultiDict([("Accept-Language", "de"), ("If-None-Match", "x")]))
    assert (params.id, params.token, params.if_match, params.idempotency_key) == (GAME, None, None, None)
    assert (params.body.seat, params.query.include, params.prefers_game, params.language) == (None, None, False, "de")

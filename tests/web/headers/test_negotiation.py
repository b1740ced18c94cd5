"""Content negotiation by weights."""

import pytest
from aiohttp.test_utils import make_mocked_request
from aiohttp.web import ContentCoding
from multidict import CIMultiDict

from service.web.headers import MAX_LIST_LENGTH, join_lines, negotiate_coding, prefers_media_type
from service.web.responses import CompressibleResponse

JSON, STREAM = "application/json", "text/event-stream"
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
    await response.prepare(make_mocked_request("GET", "/", headers=headers))
    assert response.headers.get("Content-Encoding") == (None if coding is None else coding.value)


@pytest.mark.parametrize(
    ("header", "streams"),
    (
        *((STREAM, True), ("TEXT/Event-Stream", True), (f"{STREAM}; charset=utf-8", True), (f"{STREAM}, */*", True)),
        *(("text/*", True), ("text/*, */*;q=0.9", True), (f"{STREAM}, {JSON};q=0.9", True)),
        *((f"{STREAM};q=0.5, */*;q=0.1", True), (f"{JSON};q=0, */*", True)),
        *(("", False), ("*/*", False), (JSON, False), (BROWSER, False), ("text/plain", False)),
        *(
            (f"{JSON};q=0.5", False),
            (f"{STREAM};q=0", False),
            (f"{STREAM};q=0.9, {JSON}", False),
            (f"{JSON}, {STREAM};q=0.5", False),
        ),
        # Generated clients list every type of a response.
        *((f"{STREAM}, {JSON}, application/problem+json", False), (f"{JSON}, {STREAM}", False)),
        *((f"x{STREAM}", False), (f"{STREAM}er", False)),
    ),
)
def test_the_preferred_media_type_is_chosen(header: str, streams: bool) -> None:
    request = make_mocked_request("GET", "/", headers={"Accept": header})
    assert prefers_media_type(request, STREAM, JSON) is streams


def test_the_default_media_type_is_chosen_without_the_header() -> None:
    assert not prefers_media_type(make_mocked_request("GET", "/"), STREAM, JSON)


def test_a_long_header_is_cut_after_an_element() -> None:
    assert join_lines(["gzip;q=0.5", "br"]) == "gzip;q=0.5,br"
    assert join_lines(["a" * (MAX_LIST_LENGTH - 4), "gzip;q=0"]) == "a" * (MAX_LIST_LENGTH - 4)


@pytest.mark.parametrize("enormous", ("gzip;" + " " * 7_000 + "q", "gzip" + ";" * 7_000, "a," * 3_500))
def test_an_enormous_header_is_parsed_fast(enormous: str) -> None:
    assert not prefers_media_type(make_mocked_request("GET", "/", headers={"Accept": enormous}), STREAM, JSON)

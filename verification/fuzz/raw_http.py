"""Fuzzes HTTP with requests that no client library sends: invalid lines, lengths and encodings, and pipelines."""

import json
import re
import socket
import time
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from verification.fuzz.harness import Budget, Counts, run_property
from verification.fuzz.raw_requests import AMBIGUOUS, CLOSING_REQUEST, INJECTED, requests
from verification.fuzz.target import Target

TIMEOUT_S = 15.0

IDLE_TIMEOUT_S = 0.5
"""Without a response after this time, the service waits for more than was sent."""


class Response(NamedTuple):
    """A response."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


def fuzz(target: Target, budget: Budget, counts: Counts) -> None:
    """Send ambiguous requests, and random ones. Raise the failure of the smallest counterexample."""
    for request in AMBIGUOUS:
        check_ambiguous(target, request)
        counts["raw http requests"] += 1

    @given(st.lists(requests(), min_size=1, max_size=3), st.integers(0, 200))
    def check(pipeline: list[bytes], cut: int) -> None:
        data = b"".join(pipeline) + CLOSING_REQUEST
        started_at = time.perf_counter()
        for response in exchange(target, data, cut):
            check_response(response)
        duration_ms = int(1000 * (time.perf_counter() - started_at))
        counts["raw http slowest ms"] = max(counts["raw http slowest ms"], duration_ms)
        counts["raw http requests"] += len(pipeline)
        target.check()

    run_property(check, budget)


def check_ambiguous(target: Target, request: bytes) -> None:
    """Check that the request is rejected, and that the service reads nothing after it."""
    responses = exchange(target, request + CLOSING_REQUEST, 0)
    assert [response.status for response in responses] == [400], (request, responses)
    check_response(responses[0])
    target.check()


def check_response(response: Response) -> None:
    """Check that the response is no 5xx, that an error is a problem, and that no header was injected."""
    assert response.status < 500, response
    names = [name for name, _ in response.headers]
    assert INJECTED not in names, response
    assert names.count(b"content-length") <= 1, response
    if response.status >= 400 and response.body:
        assert dict(response.headers)[b"content-type"] == b"application/problem+json", response
        assert json.loads(response.body)["status"] == response.status, response


def exchange(target: Target, data: bytes, cut: int) -> list[Response]:
    """Send bytes, the first `cut` of them separately, and return all responses until the service closes."""
    with socket.create_connection((target.host, target.port), TIMEOUT_S) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if cut:
                connection.sendall(data[:cut])
            connection.sendall(data[cut:])
            received = _read_to_end(connection)
        except (BrokenPipeError, ConnectionResetError):
            return []
    return parse_responses(received)


def _read_to_end(connection: socket.socket) -> bytes:
    """Read until the service closes. If it waits for more, close the sending half of the connection."""
    received, is_half_closed = b"", False
    connection.settimeout(IDLE_TIMEOUT_S)
    while True:
        try:
            data = connection.recv(65_536)
        except TimeoutError:
            assert not is_half_closed, ("the service does not close", received[-300:])
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(TIMEOUT_S)
            is_half_closed = True
            continue
        if not data:
            return received
        received += data


def parse_responses(data: bytes) -> list[Response]:
    """Parse responses. Raise AssertionError if the bytes contain anything else.

    aiohttp parses requests for HTTP/0.9 or 2.0 as HTTP/1.1, and repeats their version in the response.
    """
    responses: list[Response] = []
    while data:
        head, separator, rest = data.partition(b"\r\n\r\n")
        assert separator, ("a truncated response", data[:300])
        first, *lines = head.split(b"\r\n")
        status_line = re.fullmatch(rb"HTTP/(?:1\.[01]|0\.9|2\.0) (\d{3}) [ -~]*", first)
        assert status_line, data[:300]
        headers = [(name.lower(), value.strip()) for name, _, value in (line.partition(b":") for line in lines)]
        by_name = dict(headers)
        status = int(status_line[1])
        if status == 101:
            return [*responses, Response(status, headers, b"")]
        if status < 200:
            data = rest
            continue
        if by_name.get(b"transfer-encoding") == b"chunked" or b"event-stream" in by_name.get(b"content-type", b""):
            return [*responses, Response(status, headers, b"")]
        size = int(by_name.get(b"content-length", b"0"))
        assert len(rest) >= size, ("a truncated body", data[:300])
        responses.append(Response(status, headers, rest[:size]))
        data = rest[size:]
    return responses

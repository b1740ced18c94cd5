"""HTTP below what any client library sends: odd lines, odd lengths, odd encodings, several requests in one."""

import json
import re
import socket
import time
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.figures import Effort, Figures, run_property
from tests.fuzz.requests import AMBIGUOUS, CLOSING_REQUEST, INJECTED, requests
from tests.fuzz.subject import Subject

TIMEOUT_S = 15.0

IDLE_S = 0.5
"""Who has not been answered by then has promised more than was sent."""


class Response(NamedTuple):
    """One answer."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


def fuzz(subject: Subject, effort: Effort, figures: Figures) -> None:
    """All that is ambiguous, and requests of every kind; raises what is found, in its smallest form."""
    for request in AMBIGUOUS:
        check_ambiguous(subject, request)
        figures["lines requests"] += 1

    def sent(many: list[bytes], cut: int) -> None:
        data = b"".join(many) + CLOSING_REQUEST
        started_at = time.perf_counter()
        for response in exchange(subject, data, cut):
            check_response(response)
        took = time.perf_counter() - started_at
        figures["lines slowest ms"] = max(figures["lines slowest ms"], int(1000 * took))
        figures["lines requests"] += len(many)
        subject.check()

    run_property(given(st.lists(requests(), min_size=1, max_size=3), st.integers(0, 200))(sent), effort)


def check_ambiguous(subject: Subject, request: bytes) -> None:
    """Check that the request is rejected once, and that nothing after it is read."""
    responses = exchange(subject, request + CLOSING_REQUEST, 0)
    assert [response.status for response in responses] == [400], (request, responses)
    check_response(responses[0])
    subject.check()


def check_response(response: Response) -> None:
    """Check that the response is no 5xx, is a problem if it is an error, and repeats no header of the client."""
    assert response.status < 500, response
    names = [name for name, _ in response.headers]
    assert INJECTED not in names, response
    assert names.count(b"content-length") <= 1, response
    if response.status >= 400 and response.body:
        assert dict(response.headers)[b"content-type"] == b"application/problem+json", response
        assert json.loads(response.body)["status"] == response.status, response


def exchange(subject: Subject, data: bytes, cut: int) -> list[Response]:
    """Send this, its first `cut` bytes by themselves, and give all answers until the service closes."""
    with socket.create_connection((subject.host, subject.port), TIMEOUT_S) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        messages = b""
        try:
            if cut:
                line.sendall(data[:cut])
            line.sendall(data[cut:])
            messages = _read(line)
        except (BrokenPipeError, ConnectionResetError):
            return []
    return parse_responses(messages)


def _read(line: socket.socket) -> bytes:
    """All until the service closes; a client that has promised more ends its half."""
    messages, waited = b"", False
    line.settimeout(IDLE_S)
    while True:
        try:
            data = line.recv(65_536)
        except TimeoutError:
            assert not waited, ("the service does not close", messages[-300:])
            line.shutdown(socket.SHUT_WR)
            line.settimeout(TIMEOUT_S)
            waited = True
            continue
        if not data:
            return messages
        messages += data


def parse_responses(data: bytes) -> list[Response]:
    """Parse the responses in the bytes. Raise AssertionError if they are anything else.

    aiohttp reads requests that call themselves HTTP/0.9 or 2.0 as what they are, HTTP/1.1, and answers with that name.
    """
    responses: list[Response] = []
    while data:
        head, gap, rest = data.partition(b"\r\n\r\n")
        assert gap, ("an answer that is cut off", data[:300])
        first, *lines = head.split(b"\r\n")
        result = re.fullmatch(rb"HTTP/(?:1\.[01]|0\.9|2\.0) (\d{3}) [ -~]*", first)
        assert result, data[:300]
        headers = [(name.lower(), value.strip()) for name, _, value in (line.partition(b":") for line in lines)]
        given_by = dict(headers)
        status = int(result[1])
        if status == 101:
            return [*responses, Response(status, headers, b"")]
        if status < 200:
            data = rest
            continue
        if given_by.get(b"transfer-encoding") == b"chunked" or b"event-stream" in given_by.get(b"content-type", b""):
            return [*responses, Response(status, headers, b"")]
        size = int(given_by.get(b"content-length", b"0"))
        assert len(rest) >= size, ("a body that is cut off", data[:300])
        responses.append(Response(status, headers, rest[:size]))
        data = rest[size:]
    return responses

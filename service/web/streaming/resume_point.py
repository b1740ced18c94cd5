"""What a client that reconnects says it has: `since` and `digest`, or an event stream's Last-Event-ID."""

import re

import msgspec
from aiohttp import web

from schemas.messages import Version
from schemas.vocabulary import DIGEST, Digest
from service.games.errors import Malformed
from service.web.parsing import read_query

__all__ = ["ResumePoint", "parse_last_event_id", "parse_resume_query"]

_LAST_EVENT_ID = re.compile(f"([0-9]{{1,9}})-({DIGEST})")


class ResumePoint(msgspec.Struct, frozen=True):
    """The client's state; without `since` it has none."""

    since: Version | None = None
    digest: Digest | None = None


def parse_resume_query(request: web.Request) -> ResumePoint:
    """Parse the query. Raises Malformed."""
    return read_query(request, ResumePoint)


def parse_last_event_id(request: web.Request) -> ResumePoint:
    """Parse the Last-Event-ID header, or the query if there is none. Raises Malformed."""
    event_id = request.headers.get("Last-Event-ID")
    if not event_id:
        return parse_resume_query(request)
    match = _LAST_EVENT_ID.fullmatch(event_id)
    if match is None:
        raise Malformed("an event's id is VERSION-DIGEST", "Last-Event-ID")
    return ResumePoint(int(match[1]), match[2])

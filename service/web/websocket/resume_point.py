"""Where a client that comes back goes on from: `since` and `digest`, or an event stream's Last-Event-ID."""

import re

import msgspec
from aiohttp import web

from schemas.messages import Version
from schemas.vocabulary import DIGEST, Digest
from service.games.errors import Malformed
from service.web.parsing import read_query

__all__ = ["ResumePoint", "read_last_event_id", "read_query_position"]

MAX_VERSION = 2**31 - 1

_LAST_EVENT_ID = re.compile(rf"([0-9]{{1,10}})-({DIGEST})", re.ASCII)


class ResumePoint(msgspec.Struct, frozen=True):
    """The state that a client has; without `since`, none."""

    since: Version | None = None
    digest: Digest | None = None


def read_query_position(request: web.Request) -> ResumePoint:
    """What the query says; raises Malformed."""
    return read_query(request, ResumePoint)


def read_last_event_id(request: web.Request) -> ResumePoint:
    """What Last-Event-ID says, or else the query; raises Malformed."""
    last = request.headers.get("Last-Event-ID")
    if not last:
        return read_query_position(request)
    found = _LAST_EVENT_ID.fullmatch(last)
    if found is None or int(found[1]) > MAX_VERSION:
        raise Malformed("an event's id is VERSION-DIGEST", "Last-Event-ID")
    return ResumePoint(int(found[1]), found[2])

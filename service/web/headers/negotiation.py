"""Content negotiation: the weights of Accept, Accept-Encoding and Accept-Language (RFC 9110, 12.4.2 and 12.5)."""

import re
from functools import lru_cache

from aiohttp import hdrs, web

from service.web.headers.lists import MAX_LIST_ELEMENTS, join_lines

__all__ = ["negotiate_coding", "parse_weights", "prefers_media_type"]

CODINGS = (web.ContentCoding.gzip, web.ContentCoding.deflate)
"""The content codings of responses, the preferred one first."""

_WEIGHT = re.compile(r"[qQ]=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)", re.ASCII)


def parse_weights(header: str) -> dict[str, float]:
    """Return the weight of each element of a header, by its name in lower case; invalid weights are ignored.

    >>> parse_weights("text/html;level=1, application/json; q=0.5, */*;q=0")
    {'text/html': 1.0, 'application/json': 0.5, '*/*': 0.0}
    """
    weights: dict[str, float] = {}
    for element in header.split(",")[:MAX_LIST_ELEMENTS]:
        name, *parameters = (part.strip() for part in element.lower().split(";"))
        weight = _WEIGHT.fullmatch(next((one for one in parameters if one.startswith("q=")), "q=1"))
        if name and weight:
            weights[name] = max(weights.get(name, 0.0), float(weight[1]))
    return weights


def negotiate_coding(request: web.BaseRequest) -> web.ContentCoding | None:
    """Return the content coding that the client prefers; None for none, or if it accepts no other."""
    lines = request.headers.getall(hdrs.ACCEPT_ENCODING, None)
    return None if lines is None else _select_coding(join_lines(lines))


@lru_cache(maxsize=256)
def _select_coding(accepted: str) -> web.ContentCoding | None:
    weights = parse_weights(accepted)
    default = weights.get("*", 0.0)
    best = max(CODINGS, key=lambda coding: weights.get(coding.value, default))
    weight = weights.get(best.value, default)
    return best if weight > 0 and weight >= weights.get("identity", 0.0) else None


def prefers_media_type(request: web.BaseRequest, media_type: str, default: str) -> bool:
    """Return whether the client prefers a media type to the default one.

    With equal weights it does if it names the type, and the default one only by a wildcard.
    """
    lines = request.headers.getall(hdrs.ACCEPT, None)
    return lines is not None and _prefers(join_lines(lines), media_type, default)


@lru_cache(maxsize=256)
def _prefers(accepted: str, media_type: str, default: str) -> bool:
    weights = parse_weights(accepted)
    rank = _rank(weights, media_type)
    return rank[0] > 0 and rank > _rank(weights, default)


def _rank(weights: dict[str, float], media_type: str) -> tuple[float, int]:
    """Return the weight of a media type, and how precisely the client names it."""
    ranges = ("*/*", f"{media_type.partition('/')[0]}/*", media_type)
    return next(((weights[one], ranges.index(one)) for one in reversed(ranges) if one in weights), (0.0, 0))

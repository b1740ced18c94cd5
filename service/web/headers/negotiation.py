"""Content negotiation: the weights of Accept, Accept-Encoding and Accept-Language (RFC 9110, 12.4.2 and 12.5).

Headers that are lists (5.6.1) are bounded, all their lines together, before any of them is parsed.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from aiohttp import hdrs, web

from service.i18n import ENGLISH, LANGUAGES, Language

__all__ = [
    "MAX_LIST_ELEMENTS",
    "MAX_LIST_LENGTH",
    "add_vary",
    "join_lines",
    "localized_etag",
    "negotiate_coding",
    "negotiate_language",
    "parse_weights",
    "prefers_media_type",
    "set_content_language",
]

MAX_LIST_LENGTH = 2_000
MAX_LIST_ELEMENTS = 64
"""Characters and elements of a list, in all its lines; a list that is parsed earlier is cut there."""


def join_lines(lines: Sequence[str]) -> str:
    """Return the lines of a header as one, cut after a whole element if it is too long."""
    text = ",".join(lines)
    return text if len(text) <= MAX_LIST_LENGTH else text[:MAX_LIST_LENGTH].rpartition(",")[0]


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


@lru_cache(maxsize=256)
def negotiate_coding(accepted: str) -> web.ContentCoding | None:
    """Return the content coding that an Accept-Encoding prefers; None for none, or if it accepts no other."""
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


def add_vary(response: web.Response, name: str) -> web.Response:
    """Add the name of a request header to `Vary`."""
    varied = response.headers.get("Vary")
    response.headers["Vary"] = f"{varied}, {name}" if varied else name
    return response


def negotiate_language(lines: Sequence[str]) -> Language:
    """Return the supported language that the lines of Accept-Language prefer; English if they accept none.

    `fr-CA` matches `fr`, `*` matches every language that is not named, and `q=0` excludes one. Invalid ranges are
    ignored.
    """
    return _negotiate(",".join(lines))


def set_content_language(response: web.Response, language: str) -> web.Response:
    """Add `Content-Language`, and `Accept-Language` to `Vary`."""
    response.headers["Content-Language"] = language
    return add_vary(response, hdrs.ACCEPT_LANGUAGE)


def localized_etag(etag: str, language: str) -> str:
    """Return the entity tag of a response in a language: the game's own for English, else with a suffix such as `-fr`.

    Strong tags must differ where the bytes do; `If-Match` accepts each of them for its version.
    """
    return etag if language == ENGLISH else f'{etag[:-1]}-{language}"'


@lru_cache(maxsize=256)
def _negotiate(accepted: str) -> Language:
    """Return the supported language that a header prefers."""
    weights: dict[str, float] = {}
    for name, weight in parse_weights(accepted).items():
        language = name.partition("-")[0] if weight else name
        weights[language] = max(weights.get(language, 0.0), weight)
    default = weights.get("*", 0.0)
    best = max(LANGUAGES, key=lambda language: weights.get(language, default))
    return best if weights.get(best, default) else ENGLISH

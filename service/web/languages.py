"""Language negotiation (RFC 9110, 12.5.4 and 12.5.5; ranges match by the lookup of RFC 4647, 3.4)."""

import re
from functools import lru_cache

from aiohttp import web

from schemas.commands import LegalMoves
from service.games.i18n import ENGLISH, LANGUAGES, Language

ACCEPT_LANGUAGE = "Accept-Language"
MAX_LANGUAGE_RANGES = 32
"""Language ranges beyond this number are ignored."""
MAX_HEADER_LENGTH = 1000
"""Characters of the header beyond this number are ignored."""

_LANGUAGE_RANGE = re.compile(
    r"(\*|[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)(?:\s*;\s*[qQ]=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?"
)


def negotiate_language(request: web.Request) -> Language:
    """Return the supported language that the client prefers; English if it accepts none.

    `fr-CA` matches `fr`, `*` matches every language that is not named, and `q=0` excludes one. Invalid ranges are
    ignored.
    """
    accepted = request.headers.getall(ACCEPT_LANGUAGE, None)
    if accepted is None:
        return ENGLISH
    text = ",".join(accepted)
    return _negotiate(text if len(text) <= MAX_HEADER_LENGTH else text[:MAX_HEADER_LENGTH].rpartition(",")[0])


def set_content_language(response: web.Response, language: str) -> web.Response:
    """Add `Content-Language`, and `Accept-Language` to `Vary`."""
    response.headers["Content-Language"] = language
    varied = response.headers.get("Vary")
    response.headers["Vary"] = f"{varied}, {ACCEPT_LANGUAGE}" if varied else ACCEPT_LANGUAGE
    return response


def set_moves_language(response: web.Response, moves: LegalMoves | None) -> web.Response:
    """Add the language headers if the response contains legal moves."""
    return response if moves is None else set_content_language(response, moves.language)


def localized_etag(etag: str, language: str) -> str:
    """Return the entity tag of a response in a language: the game's own for English, else with a suffix such as `-fr`.

    Strong tags must differ where the bytes do; `If-Match` accepts each of them for its version.
    """
    return etag if language == ENGLISH else f'{etag[:-1]}-{language}"'


@lru_cache(maxsize=256)
def _negotiate(accepted: str) -> Language:
    """Return the supported language that a header prefers."""
    qualities: dict[str, float] = {}
    for part in accepted.split(",")[:MAX_LANGUAGE_RANGES]:
        if match := _LANGUAGE_RANGE.fullmatch(part.strip()):
            name, quality = match[1].lower(), float(match[2] or 1)
            language = name.partition("-")[0] if quality else name
            qualities[language] = max(qualities.get(language, 0.0), quality)
    default_quality = qualities.get("*", 0.0)
    best = max(LANGUAGES, key=lambda language: qualities.get(language, default_quality))
    return best if qualities.get(best, default_quality) else ENGLISH

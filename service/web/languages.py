"""Which language an answer is in (RFC 9110, 12.5.4 and 12.5.5; ranges match as RFC 4647, 3.4 looks them up)."""

import re
from functools import lru_cache

from aiohttp import web

from schemas.acting import LegalMoves
from service.games.i18n import ENGLISH, LANGUAGES, Language

ACCEPT_LANGUAGE = "Accept-Language"
MAX_LANGUAGE_RANGES = 32
"""More than these in one header are not read."""
MAX_HEADER_LENGTH = 1000
"""Nor what comes after so many characters."""

_LANGUAGE_RANGE = re.compile(
    r"(\*|[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)(?:\s*;\s*[qQ]=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?"
)


def negotiate_language(request: web.Request) -> Language:
    """The language of ours that the client likes best; English where it likes none.

    `fr-CA` asks for `fr`; `*` for whatever is not named; `q=0` refuses. What is no language range is passed over.
    """
    accepted = request.headers.getall(ACCEPT_LANGUAGE, None)
    if accepted is None:
        return ENGLISH
    text = ",".join(accepted)
    return _negotiate(text if len(text) <= MAX_HEADER_LENGTH else text[:MAX_HEADER_LENGTH].rpartition(",")[0])


def set_content_language(response: web.Response, language: str) -> web.Response:
    """Say which language an answer is in, and that another request may get another."""
    response.headers["Content-Language"] = language
    varied = response.headers.get("Vary")
    response.headers["Vary"] = f"{varied}, {ACCEPT_LANGUAGE}" if varied else ACCEPT_LANGUAGE
    return response


def set_moves_language(response: web.Response, moves: LegalMoves | None) -> web.Response:
    """The same for an answer that holds legal moves where they were asked for."""
    return response if moves is None else set_content_language(response, moves.language)


def localized_etag(etag: str, language: str) -> str:
    """The entity tag of an answer in a language: English has the game's own, any other its name behind that.

    As bytes differ, so must strong tags; If-Match takes either for the version that it names.
    """
    return etag if language == ENGLISH else f'{etag[:-1]}-{language}"'


@lru_cache(maxsize=256)
def _negotiate(accepted: str) -> Language:
    """The language of ours that a whole header likes best."""
    qualities: dict[str, float] = {}
    for part in accepted.split(",")[:MAX_LANGUAGE_RANGES]:
        if match := _LANGUAGE_RANGE.fullmatch(part.strip()):
            name, quality = match[1].lower(), float(match[2] or 1)
            language = name.partition("-")[0] if quality else name
            qualities[language] = max(qualities.get(language, 0.0), quality)
    default_quality = qualities.get("*", 0.0)
    best = max(LANGUAGES, key=lambda language: qualities.get(language, default_quality))
    return best if qualities.get(best, default_quality) else ENGLISH

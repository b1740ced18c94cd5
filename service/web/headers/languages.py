"""Language negotiation (RFC 9110, 12.5.4 and 12.5.5; ranges match by the lookup of RFC 4647, 3.4)."""

from functools import lru_cache

from aiohttp import hdrs, web

from schemas.commands import LegalMoves
from service.games.i18n import ENGLISH, LANGUAGES, Language
from service.web.headers.lists import join_lines
from service.web.headers.negotiation import parse_weights
from service.web.responses import add_vary


def negotiate_language(request: web.Request) -> Language:
    """Return the supported language that the client prefers; English if it accepts none.

    `fr-CA` matches `fr`, `*` matches every language that is not named, and `q=0` excludes one. Invalid ranges are
    ignored.
    """
    lines = request.headers.getall(hdrs.ACCEPT_LANGUAGE, None)
    return ENGLISH if lines is None else _negotiate(join_lines(lines))


def set_content_language(response: web.Response, language: str) -> web.Response:
    """Add `Content-Language`, and `Accept-Language` to `Vary`."""
    response.headers["Content-Language"] = language
    return add_vary(response, hdrs.ACCEPT_LANGUAGE)


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
    weights: dict[str, float] = {}
    for name, weight in parse_weights(accepted).items():
        language = name.partition("-")[0] if weight else name
        weights[language] = max(weights.get(language, 0.0), weight)
    default = weights.get("*", 0.0)
    best = max(LANGUAGES, key=lambda language: weights.get(language, default))
    return best if weights.get(best, default) else ENGLISH

"""Classes of requests for rate limits: by path, method and tokens."""

from aiohttp import hdrs, web

from schemas.vocabulary import is_valid_id
from service.games.errors import Malformed, Unauthorized
from service.web.headers.bearer_tokens import parse_bearer_token, parse_bearer_tokens

__all__ = [
    "EXEMPT_PATHS",
    "GAMES_PREFIX",
    "KEYS_PREFIX",
    "MY_GAMES_PATH",
    "SAFE_METHODS",
    "WEBSOCKET_SUFFIX",
    "is_creating",
    "is_creating_game",
    "is_joining",
    "is_picture",
    "parse_game",
    "proves_token",
    "read_tokens",
    "takes_api_key",
]

GAMES_PREFIX = "/v1/games/"
GAMES_PATH = "/v1/games"
REMATCH_SUFFIX = "/rematch"
CREATING_SUFFIXES = (REMATCH_SUFFIX, "/webhooks", "/token")
"""Paths below a game that create something."""
SEATS_SUFFIX = "/seats"
WEBSOCKET_SUFFIX = "/ws"
"""Answered only when the connection ends."""
PICTURE_SUFFIXES = (".svg", ".png", ".txt")
MY_GAMES_PATH = "/v1/seats/me/games"
"""The path that takes several tokens."""
ANY_GAME_PATHS = frozenset({MY_GAMES_PATH, "/v1/ws"})
"""Paths that take tokens and name no game."""
KEYS_PREFIX = "/v1/keys/"
"""The prefix of the paths that require an API key."""
EXEMPT_PATHS = frozenset({"/livez", "/readyz"})
"""Probes of the operator, from addresses that clients may share."""
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def is_creating(method: str, path: str) -> bool:
    """Return whether a request creates something."""
    return method == "POST" and (path.endswith(CREATING_SUFFIXES) or path == GAMES_PATH)


def is_creating_game(method: str, path: str) -> bool:
    """Return whether a request creates a game."""
    return method == "POST" and (path.endswith(REMATCH_SUFFIX) or path == GAMES_PATH)


def is_joining(method: str, path: str) -> bool:
    """Return whether a request takes an open seat."""
    return method == "POST" and path.endswith(SEATS_SUFFIX) and path.startswith(GAMES_PREFIX)


def is_picture(path: str) -> bool:
    """Return whether a request is for a picture."""
    return path.endswith(PICTURE_SUFFIXES) and path.startswith("/v1/")


def parse_game(path: str) -> tuple[bool, str | None]:
    """Return whether a path takes tokens, and the game that they must open; None for any game."""
    if path in ANY_GAME_PATHS:
        return True, None
    game = path.removeprefix(GAMES_PREFIX).partition("/")[0]
    return path.startswith(GAMES_PREFIX) and is_valid_id(game), game


def takes_api_key(method: str, path: str) -> bool:
    """Return whether a request may carry an API key, which it is then charged to."""
    if path.startswith(KEYS_PREFIX):
        return method != "OPTIONS"
    return is_creating(method, path) or is_joining(method, path)


def read_tokens(request: web.BaseRequest) -> list[str]:
    """Return the tokens of a request, in the form that its path takes; none if they have another form."""
    try:
        if request.path == MY_GAMES_PATH:
            return parse_bearer_tokens(request)
        token = parse_bearer_token(request)
    except (Unauthorized, Malformed):
        return []
    return [] if token is None else [token]


def proves_token(request: web.BaseRequest) -> bool:
    """Return whether a successful response proves that the token is valid.

    It does not where no token is checked, nor where one of several may be valid.
    """
    if request.method == hdrs.METH_OPTIONS:
        return False
    return request.path.startswith(GAMES_PREFIX) or (request.path == MY_GAMES_PATH and len(read_tokens(request)) == 1)

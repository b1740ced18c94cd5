"""What a request is to whoever limits clients: by its path, its method and the tokens that it shows."""

from aiohttp import web

from schemas.vocabulary import is_valid_id
from service.games.errors import Malformed, Unauthorized
from service.web.parsing import parse_bearer_token, parse_bearer_tokens

__all__ = [
    "EXEMPT_PATHS",
    "GAMES_PREFIX",
    "MY_GAMES_PATH",
    "SAFE_METHODS",
    "WEBSOCKET_SUFFIX",
    "is_creating",
    "is_joining",
    "is_picture",
    "parse_game",
    "proves_token",
    "read_tokens",
]

GAMES_PREFIX = "/v1/games/"
GAMES_PATH = "/v1/games"
CREATING_SUFFIXES = ("/rematch", "/webhooks", "/token")
"""What makes something new below a game."""
SEATS_SUFFIX = "/seats"
WEBSOCKET_SUFFIX = "/ws"
"""What is answered only when it ends."""
PICTURE_SUFFIXES = (".svg", ".png", ".txt")
MY_GAMES_PATH = "/v1/seats/me/games"
"""Where several tokens may be shown."""
ANY_GAME_PATHS = frozenset({MY_GAMES_PATH, "/v1/ws"})
"""Where tokens are shown, and no game is named."""
EXEMPT_PATHS = frozenset({"/livez", "/readyz"})
"""Asked by those who run the service, from addresses that others may share."""
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def is_creating(method: str, path: str) -> bool:
    """Whether it makes something new."""
    return method == "POST" and (path.endswith(CREATING_SUFFIXES) or path == GAMES_PATH)


def is_joining(method: str, path: str) -> bool:
    """Whether it is for an open seat."""
    return method == "POST" and path.endswith(SEATS_SUFFIX) and path.startswith(GAMES_PREFIX)


def is_picture(path: str) -> bool:
    """Whether it is for a picture."""
    return path.endswith(PICTURE_SUFFIXES) and path.startswith("/v1/")


def parse_game(path: str) -> tuple[bool, str | None]:
    """Whether tokens are looked at there, and the game whose they must be; None for any."""
    if path in ANY_GAME_PATHS:
        return True, None
    game = path.removeprefix(GAMES_PREFIX).partition("/")[0]
    return path.startswith(GAMES_PREFIX) and is_valid_id(game), game


def read_tokens(request: web.BaseRequest) -> list[str]:
    """The tokens that a request shows, in the form that its path takes; none where they are in another."""
    try:
        if request.path == MY_GAMES_PATH:
            return parse_bearer_tokens(request)
        token = parse_bearer_token(request)
    except (Unauthorized, Malformed):
        return []
    return [] if token is None else [token]


def proves_token(request: web.BaseRequest) -> bool:
    """Whether a good answer shows that the token is good: not where none is looked at, or one of several may be."""
    if request.method == "OPTIONS":
        return False
    return request.path.startswith(GAMES_PREFIX) or (request.path == MY_GAMES_PATH and len(read_tokens(request)) == 1)

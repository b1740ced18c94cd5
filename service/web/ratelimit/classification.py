"""What a request is to whoever limits clients: by its path, its method and the tokens that it shows."""

from aiohttp import web

from schemas.vocabulary import is_id
from service.games.errors import Malformed, Unauthorized
from service.web.parsing import bearer, bearers

__all__ = [
    "EXEMPT",
    "GAMES",
    "LASTING",
    "MINE",
    "READS",
    "game_of",
    "is_creating",
    "is_joining",
    "is_picture",
    "proves_token",
    "shown_tokens",
]

GAMES = "/v1/games/"
CREATE = "/v1/games"
CREATING = ("/rematch", "/webhooks", "/token")
"""What makes something new below a game."""
SEATS = "/seats"
LASTING = "/ws"
"""What is answered only when it ends."""
PICTURES = (".svg", ".png", ".txt")
MINE = "/v1/seats/me/games"
"""Where several tokens may be shown."""
OF_ANY_GAME = frozenset({MINE, "/v1/ws"})
"""Where tokens are shown, and no game is named."""
EXEMPT = frozenset({"/livez", "/readyz"})
"""Asked by those who run the service, from addresses that others may share."""
READS = frozenset({"GET", "HEAD", "OPTIONS"})


def is_creating(method: str, path: str) -> bool:
    """Whether it makes something new."""
    return method == "POST" and (path.endswith(CREATING) or path == CREATE)


def is_joining(method: str, path: str) -> bool:
    """Whether it is for an open seat."""
    return method == "POST" and path.endswith(SEATS) and path.startswith(GAMES)


def is_picture(path: str) -> bool:
    """Whether it is for a picture."""
    return path.endswith(PICTURES) and path.startswith("/v1/")


def game_of(path: str) -> tuple[bool, str | None]:
    """Whether tokens are looked at there, and the game whose they must be; None for any."""
    if path in OF_ANY_GAME:
        return True, None
    game = path.removeprefix(GAMES).partition("/")[0]
    return path.startswith(GAMES) and is_id(game), game


def shown_tokens(request: web.BaseRequest) -> list[str]:
    """The tokens that a request shows, in the form that its path takes; none where they are in another."""
    try:
        if request.path == MINE:
            return bearers(request)
        token = bearer(request)
    except (Unauthorized, Malformed):
        return []
    return [] if token is None else [token]


def proves_token(request: web.BaseRequest) -> bool:
    """Whether a good answer shows that the token is good: not where none is looked at, or one of several may be."""
    if request.method == "OPTIONS":
        return False
    return request.path.startswith(GAMES) or (request.path == MINE and len(shown_tokens(request)) == 1)

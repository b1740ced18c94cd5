"""`GET /v1/ws` and `GET /v1/games/{id}/ws`: the upgrade to a WebSocket."""

from aiohttp import web

from schemas.messages import Welcome
from schemas.vocabulary import is_valid_id
from service.games.errors import NoSuchGame, ServiceError
from service.games.ports.game_store import StoreUnavailable
from service.web.app_keys import CONTEXT, LIMITS
from service.web.connections.frames import reject_incomplete_messages
from service.web.connections.protocol import get_connection
from service.web.headers.bearer_tokens import read_bearer_token
from service.web.parsing import ResumePoint, parse_resume_query
from service.web.problems import to_problem
from service.web.ratelimit.concurrency import open_stream
from service.web.ratelimit.limiter import RATE_LIMITER
from service.web.streaming.registry import STREAMS, StreamRegistry
from service.web.websocket.connection import WebSocketConnection, accept_connection, problem_close_code
from service.web.websocket.session import Session

__all__ = ["GAME_PATH", "SHARED_PATH", "add_routes", "close_streams"]

SHARED_PATH = "/v1/ws"

GAME_PATH = "/v1/games/{id}/ws"
"""Takes any id: a browser can read why it was rejected only after the upgrade."""


def add_routes(app: web.Application) -> None:
    """Add both WebSocket routes, and the registry that they share with event streams."""
    app[STREAMS] = StreamRegistry(app[LIMITS])
    reject_incomplete_messages()
    app.router.add_get(SHARED_PATH, serve_websocket, allow_head=False)
    app.router.add_get(GAME_PATH, serve_websocket, allow_head=False)
    app.on_shutdown.append(close_streams)


async def close_streams(app: web.Application) -> None:
    """Close all sockets and event streams, while the server still reads what their clients answer."""
    await app[STREAMS].close_all()


async def serve_websocket(request: web.Request) -> web.StreamResponse:
    """Serve a socket for any number of games; it starts subscribed to the game that the path names, if any."""
    app = request.app
    await app[RATE_LIMITER].admit_socket(request, may_guess="id" in request.match_info)
    async with open_stream(request):
        connection = await accept_connection(request)
        connection.send(_welcome(app))
        with app[STREAMS].registered(request, connection):
            try:
                session = Session(request, connection)
                await _start_session(request, session, connection)
                get_connection(request).charge_busy_time()
                await connection.run(session.handle_message)
            finally:
                connection.release()
    return connection.socket


def _welcome(app: web.Application) -> Welcome:
    limits = app[LIMITS]
    return Welcome(
        now=app[CONTEXT].now(),
        ping_interval_ms=int(1000 * limits.ping_interval_s),
        max_message_bytes=limits.max_message_bytes,
    )


async def _start_session(request: web.Request, session: Session, connection: WebSocketConnection) -> None:
    """Read the upgrade's token, and subscribe to the path's game; close the socket if either is rejected."""
    game = request.match_info.get("id")
    try:
        session.tokens.upgrade_token = read_bearer_token(request).text
        if game is not None:
            resume_point = parse_resume_query(request) if request.query_string else ResumePoint()
            if not is_valid_id(game):
                raise NoSuchGame(game)
            await session.subscribe_to_path_game(game, resume_point)
    except StoreUnavailable as error:
        connection.request_reconnect(1000 * error.retry_after_s)
    except ServiceError as error:
        code = to_problem(error).code
        connection.close(problem_close_code(code), code)

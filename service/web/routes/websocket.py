"""`GET /v1/ws` and `GET /v1/games/{id}/ws`: the upgrade, and the life of a socket. Source: api.md, "WebSocket"."""

from aiohttp import web

from schemas.messages import Welcome
from schemas.vocabulary import is_valid_id
from service.games.errors import NoSuchGame
from service.games.ports import StoreUnavailable
from service.telemetry.metrics import CONNECTIONS_OPENED
from service.web.access_log import log_stream_closed, log_stream_opened
from service.web.app_keys import CONTEXT, LIMITS
from service.web.languages import negotiate_language
from service.web.parsing import parse_bearer_token
from service.web.problems import PROBLEM_ERRORS, to_problem
from service.web.ratelimit.concurrency import open_stream
from service.web.ratelimit.limiter import CHARGE
from service.web.ratelimit.origins import check_origin
from service.web.websocket.connection import WebSocketConnection, accept_connection, close_code
from service.web.websocket.resume_point import ResumePoint, read_query_position
from service.web.websocket.session import Session
from service.web.websocket.streams import STREAMS, StreamRegistry

__all__ = ["GAME_PATH", "SHARED_PATH", "add_routes", "close_streams"]

SHARED_PATH = "/v1/ws"

GAME_PATH = "/v1/games/{id}/ws"
"""Whatever stands for the id: browsers can read a refusal only after the upgrade."""


def add_routes(app: web.Application) -> None:
    """Add the sockets to an application, and what they share with its event streams."""
    app[STREAMS] = StreamRegistry(app[LIMITS])
    app.router.add_get(SHARED_PATH, serve_socket, allow_head=False)
    app.router.add_get(GAME_PATH, serve_socket, allow_head=False)
    app.on_shutdown.append(close_streams)


async def close_streams(app: web.Application) -> None:
    """Send all sockets and event streams away, before the server stops listening to what they answer."""
    await app[STREAMS].close_all()


async def serve_socket(request: web.Request) -> web.StreamResponse:
    """A socket for any number of games; where the path names one, it is subscribed to from the beginning."""
    check_origin(request, request.app[LIMITS].allowed_origins)
    async with open_stream(request) as client:
        return await _serve(request, client)


async def _serve(request: web.Request, client: str) -> web.StreamResponse:
    connection = await accept_connection(request)
    connection.send(_welcome(request.app))
    CONNECTIONS_OPENED.labels("socket").inc()
    opened, connections = log_stream_opened(request, "socket"), request.app[STREAMS]
    connections.add(connection)
    try:
        session = Session(request.app, connection, client, request.get(CHARGE))
        session.language = negotiate_language(request)
        await _begin(request, session, connection)
        await connection.run(session.handle_message)
    finally:
        connection.release()
        connections.remove(connection)
        log_stream_closed(request, "socket", opened, connection.code)
    return connection.socket


def _welcome(app: web.Application) -> Welcome:
    limits = app[LIMITS]
    return Welcome(
        now=app[CONTEXT].now(),
        ping_interval_ms=int(1000 * limits.ping_interval_s),
        max_message_bytes=limits.max_message_bytes,
    )


async def _begin(request: web.Request, session: Session, connection: WebSocketConnection) -> None:
    """Do what the upgrade asked; what is refused closes the socket."""
    game = request.match_info.get("id")
    try:
        session.tokens.upgrade_token = parse_bearer_token(request)
        if game is not None:
            asked = read_query_position(request) if request.query_string else ResumePoint()
            if not is_valid_id(game):
                raise NoSuchGame(game)
            await session.subscribe_to_path_game(game, asked.since, asked.digest)
    except StoreUnavailable as unavailable:
        connection.request_reconnect(1000 * unavailable.retry_after_s)
    except PROBLEM_ERRORS as error:
        code = to_problem(error).code
        connection.close(close_code(code), code)

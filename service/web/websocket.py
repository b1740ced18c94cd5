"""`GET /v1/ws` and `GET /v1/games/{id}/ws`: the upgrade, and the session of one WebSocket.

It decodes each message, charges it, does what it says, and replies. It knows the games that the client follows, and the
tokens that the client has presented, by which it may read them.

Actions run the same commands as their HTTP routes.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias, get_args

import msgspec
from aiohttp import WSMessage, WSMsgType, hdrs, web

from schemas import messages
from schemas.commands import ActionResult, IncludeQuery
from schemas.vocabulary import ID, is_valid_id
from service.engine import Message
from service.games import repository
from service.games.access import AccessRecord, authorize_read
from service.games.channel import build_snapshot
from service.games.commands.execute import CommandRequest
from service.games.commands.play import act, resign_seat, return_to_seat, undo
from service.games.errors import GameError, Malformed, NoSuchGame, ServiceError, Unauthorized
from service.games.idempotency import ReplayableResult
from service.games.ports import Revision, StoredGame, StoreUnavailable
from service.games.repository import Context
from service.telemetry import tracing
from service.telemetry.metrics import SOCKET_MESSAGES
from service.web import problems
from service.web.app import CONTEXT, HUB, LIMITS, App, HttpRequest, Terms
from service.web.connection import get_connection
from service.web.frames import reject_incomplete_messages
from service.web.headers import check_token, make_token_id, negotiate_language, read_bearer_token
from service.web.parsing import ResumePoint, decode_json, parse_resume_query
from service.web.rate_limiter import RATE_LIMITER, MessageInfo, open_stream
from service.web.streams import SENT_DIFF_S, STREAMS, StreamRegistry, check_subscriber_limit
from service.web.websocket_connection import WebSocketConnection, accept_connection

MAX_RATE_LIMITED = 100
"""Messages in a row that exceed the rate limit; then the socket is closed."""

MAX_ENVELOPE_LENGTH = 1_024
"""Characters of a malformed message whose id and game are read: that takes a second decoding."""

MAX_ID_LENGTH = 64
"""As schemas.messages.MessageId."""

CommandMessage = messages.ActMessage | messages.SeatMessage
"""A message that runs a command on a game."""


class Envelope(NamedTuple):
    """The id and the game of a message; each is None if it is missing or itself malformed."""

    id: str | None = None
    game: str | None = None


class _AnyEnvelope(msgspec.Struct):
    type: Any = None
    id: Any = None
    game: Any = None


class VerifiedToken(NamedTuple):
    """A token that its game accepts, if there is one."""

    token: str | None = None
    key: bytes | None = None
    """Its hash, by which rate limits know it."""


NO_TOKEN = VerifiedToken()


class SessionTokens:
    """A token per game, and the upgrade request's own, which may be valid for any number of games."""

    def __init__(self, max_tokens: int) -> None:
        self.upgrade_token: str | None = None
        """From the Authorization header; not verified."""
        self._verified: dict[str, VerifiedToken] = {}
        self._max_tokens = max_tokens
        self._latest_key: bytes | None = None
        """Of the token that was verified last."""

    def has_room(self, game: str) -> bool:
        """Return whether a token for this game can be stored."""
        return game in self._verified or len(self._verified) < self._max_tokens

    def add(self, game: str, token: str) -> None:
        """Store a token that its game accepts, if there is room."""
        self._latest_key = key = make_token_id(token)
        if self.has_room(game):
            self._verified[game] = VerifiedToken(token, key)

    def remove(self, game: str) -> None:
        """Remove a game's token, which was revoked."""
        self._verified.pop(game, None)

    def get_verified(self, game: str) -> str | None:
        """Return the token that this game has accepted."""
        return self._verified.get(game, NO_TOKEN).token

    def get(self, game: str) -> str | None:
        """Return the token that this game has accepted, or else the upgrade's."""
        return self.get_verified(game) or self.upgrade_token

    def message_info(self, message: messages.ClientMessage) -> MessageInfo:
        """Return what the rate limiter needs to know of a message: whose it is."""
        match message:
            case messages.ActMessage() | messages.SeatMessage():
                key = self._verified.get(message.game, NO_TOKEN).key
                return MessageInfo(self.upgrade_token, key, message.game, message.key is not None)
            case messages.Auth():
                return MessageInfo(token=message.token, game=message.game)
            case messages.Subscribe() | messages.Sync():
                key = self._verified.get(message.game, NO_TOKEN).key or self._latest_key
                return MessageInfo(self.upgrade_token, key, message.game)
            case _:
                return self.other_message_info()

    def other_message_info(self) -> MessageInfo:
        """Return the same for a message that names no game: a ping, or a malformed message."""
        return MessageInfo(self.upgrade_token, self._latest_key)


class Session:
    """What the service knows of one client, and its replies to the client's messages."""

    def __init__(self, request: HttpRequest, connection: WebSocketConnection) -> None:
        app = request.app
        self._client = get_connection(request)
        self._language = negotiate_language(request.headers.getall(hdrs.ACCEPT_LANGUAGE, ()))
        """Of the texts of legal moves and problems."""
        self._rate_limited = 0
        """Messages in a row that exceeded the rate limit."""
        self._limiter = app[RATE_LIMITER]
        self._context = app[CONTEXT]
        self._hub = app[HUB]
        self._connection = connection
        self._limits = app[LIMITS]
        self._path_game: str | None = None
        """The game that the upgrade's path names; the socket is closed with its subscription."""
        self.tokens = SessionTokens(self._limits.max_subscriptions)
        connection.on_token_revoked = self._recheck_token

    async def subscribe_to_path_game(self, game: str, resume_point: ResumePoint) -> None:
        """Do the `subscribe` that the path implies, with the upgrade's token as this game's.

        Raises what `_subscribe` raises; then the socket must be closed.
        """
        token = self.tokens.upgrade_token
        self._path_game = game
        if token is not None:
            self.tokens.add(game, token)
        message = messages.Subscribe(game=game, since=resume_point.since, digest=resume_point.digest)
        try:
            await self._subscribe(message)
        except (NoSuchGame, Unauthorized):
            self._limiter.count_guesses(self._client.charge.account)
            raise
        if token is not None:
            self._limiter.trust_tokens((token,))

    async def handle_message(self, frame: WSMessage) -> None:
        """Do what a text message says and reply; pings and pongs are only charged."""
        message, envelope, malformed = _decode(frame)
        charge = self._client.begin_charge(self._client.charge.account)
        is_successful = False
        info = self.tokens.other_message_info() if message is None else self.tokens.message_info(message)
        try:
            await self._limiter.admit_message(charge, info)
            self._rate_limited = 0
            if message is not None:
                with tracing.span(_MESSAGE_TYPES[type(message)][0], "server"):
                    await self._dispatch(message)
                is_successful = True
            elif malformed is not None:
                self._connection.send_problem(*envelope, problems.to_problem(malformed))
        except problems.RateLimited as error:
            self._reject_rate_limited(envelope, error)
        except ServiceError as error:
            if isinstance(error, NoSuchGame | Unauthorized):
                self._limiter.count_guesses(self._client.charge.account)
            self._connection.send_problem(*envelope, problems.to_problem(error, _outcome(message), self._language))
        finally:
            charge.settle(is_successful=is_successful)
            self._client.charge_busy_time()

    async def _dispatch(self, message: messages.ClientMessage) -> None:
        match message:
            case messages.ActMessage() | messages.SeatMessage():
                await self._execute(message)
            case messages.Subscribe():
                await self._subscribe(message)
            case messages.Sync():
                await self._send_snapshot(message)
            case messages.Unsubscribe():
                self._connection.unsubscribe(message.game)
                self._acknowledge(message)
            case messages.Auth():
                await self._authenticate(message)
            case messages.Ping():
                self._connection.send(messages.Pong(id=message.id))

    async def _subscribe(self, message: messages.Subscribe) -> None:
        """Start a subscription, or start it anew: the client gets every later version once and in order.

        Raises NoSuchGame, Unauthorized, TooManyConnections, StoreUnavailable.
        """
        game, connection = message.game, self._connection
        connection.unsubscribe(game)
        if len(connection.games) >= self._limits.max_subscriptions:
            raise problems.TooManyConnections(
                Message("games of this socket"), self._limits.max_subscriptions, "max-subscriptions"
            )
        check_subscriber_limit(self._hub, game, self._limits)
        record = await self._load_readable(game, message.since)
        position = record.resume_from(bytes.fromhex(message.digest) if message.digest else None)
        snapshot = build_snapshot(self._context.tilesets, game, record) if position is None else None
        if position is not None:
            self._client.loop_time.unpaid_s += (record.revision.version - position.version) * SENT_DIFF_S
        version, digest = record.revision
        connection.send(
            messages.Subscribed(
                id=message.id, game=game, recovered=snapshot is None, version=version, digest=digest.hex()
            )
        )
        if snapshot is not None:
            connection.deliver(snapshot)
        await self._subscribe_from(game, position or record.revision, record.last_revocation)

    def _acknowledge(self, message: messages.Unsubscribe | messages.Auth) -> None:
        self._connection.send(messages.Ack(id=message.id, game=message.game, version=None, digest=None))

    async def _send_snapshot(self, message: messages.Sync) -> None:
        """Send the whole game; a subscription continues from there, or from where it was if that fails."""
        game = message.game
        position = self._connection.unsubscribe(game)
        try:
            record = await self._load_readable(game)
            self._connection.deliver(build_snapshot(self._context.tilesets, game, record))
        except ServiceError:
            if position is not None:
                await self._subscribe_from(game, position)
            raise
        if position is not None:
            await self._subscribe_from(game, record.revision, record.last_revocation)

    async def _subscribe_from(self, game: str, position: Revision, last_revocation: str = "") -> None:
        """Subscribe to the hub; the client has the `subscribed` reply already."""
        connection = self._connection
        connection.games.add(game)
        try:
            await self._hub.subscribe(connection, game, position, last_revocation)
        except GameError:
            connection.unsubscribe(game)
            raise
        except StoreUnavailable as error:
            connection.unsubscribe(game)
            connection.request_reconnect(1000 * error.retry_after_s)  # else the client would wait for diffs in vain
            raise
        if game not in connection.games:  # the socket was closed while subscribing
            self._hub.unsubscribe(connection, game)

    async def _load_readable(self, game: str, since: int | None = None) -> StoredGame:
        """Load a game that this client may read, with its revision at `since`. Raises NoSuchGame, Unauthorized."""
        record = await repository.load_game(self._context, game, since=since)
        self._authorize(record.access, game)
        return record

    def _authorize(self, access: AccessRecord, game: str) -> None:
        """Raise NoSuchGame or Unauthorized unless this client may read the game.

        The upgrade's token may be another game's: a game that does not know it is read as if there were none.
        """
        verified, upgrade_token = self.tokens.get_verified(game), self.tokens.upgrade_token
        if verified is not None or upgrade_token is None:
            authorize_read(access, game, verified)
        else:
            with suppress(Unauthorized):
                authorize_read(access, game, upgrade_token)

    def _recheck_token(self, game: str, access: AccessRecord) -> None:
        """End the subscription if its token was revoked, and close the socket if it was opened for this game."""
        try:
            self._authorize(access, game)
        except (NoSuchGame, Unauthorized) as error:
            self.tokens.remove(game)
            if game == self._path_game:
                self._connection.refuse(error)
            elif self._connection.unsubscribe(game) is not None:
                self._connection.end_subscription(game, error)

    async def _execute(self, message: CommandMessage) -> None:
        """Run a command as its HTTP route does, and acknowledge it after its diffs."""
        game, token = message.game, self.tokens.get(message.game)
        result, version, _ = await _COMMANDS[type(message)](
            self._context,
            CommandRequest(
                id=game,
                body=message.to_body(),
                token=token,
                if_match=None if message.if_match is None else _parse_if_match(message.if_match),
                query=IncludeQuery(include=message.include),
                idempotency_key=message.key,
                language=self._language,
                charge=self._client.charge,
            ),
        )
        if token is not None and self.tokens.get_verified(game) is None:
            self._add_token(game, token)
        await self._hub.wait_for_version(self._connection, game, version)
        self._connection.send(
            messages.Ack(
                id=message.id, game=game, version=version, digest=result.digest, legal_moves=result.legal_moves
            )
        )

    async def _authenticate(self, message: messages.Auth) -> None:
        """Store a token that the game accepts. Raises Unauthorized, NoSuchGame, TooManyConnections: nothing changes."""
        check_token(message.token)
        stored = await repository.load_game(self._context, message.game)
        authorize_read(stored.access, message.game, message.token)
        if not self.tokens.has_room(message.game):
            most = self._client.limiter.limits.max_subscriptions
            raise problems.TooManyConnections(Message("games with tokens of this socket"), most, "max-subscriptions")
        self._add_token(message.game, message.token)
        self._acknowledge(message)

    def _add_token(self, game: str, token: str) -> None:
        """Store a token that its game has accepted."""
        self.tokens.add(game, token)
        self._limiter.trust_tokens((token,))

    def _reject_rate_limited(self, envelope: Envelope, error: problems.RateLimited) -> None:
        """Reply with the rate limit's error; close the socket of a client that does not slow down."""
        self._connection.send_problem(*envelope, problems.to_problem(error, language=self._language))
        self._rate_limited += 1
        if self._rate_limited >= MAX_RATE_LIMITED or self._client.charge.account.find_debt() is not None:
            self._connection.refuse(error)


def _decode(frame: WSMessage) -> tuple[messages.ClientMessage | None, Envelope, Malformed | None]:
    """Return the message, if there is one, what names it in replies, and what is wrong with it."""
    if frame.type is not WSMsgType.TEXT:
        return None, Envelope(), Malformed("send text, not binary") if frame.type is WSMsgType.BINARY else None
    text = frame.data.removeprefix("\ufeff")  # a byte order mark (RFC 8259, 8.1)
    try:
        message = decode_json(_DECODER, text)
    except (msgspec.MsgspecError, RecursionError) as error:
        SOCKET_MESSAGES.labels("malformed").inc()
        envelope, kind = read_envelope(text)
        return None, envelope, problems.to_malformed(error, kind)
    _, received = _MESSAGE_TYPES[type(message)]
    received.inc()
    return message, Envelope(message.id, None if isinstance(message, messages.Ping) else message.game), None


def read_envelope(text: str) -> tuple[Envelope, Any]:
    """Read the id and the game of a message that is not what it should be, and the types that it may have."""
    try:
        envelope = _ENVELOPE_DECODER.decode(text if len(text) < MAX_ENVELOPE_LENGTH else "{}")
    except (msgspec.MsgspecError, RecursionError):
        envelope = _AnyEnvelope()
    message_id, game = envelope.id, envelope.game
    kinds = [kind for kind, (tag, _) in _MESSAGE_TYPES.items() if tag == envelope.type]
    return Envelope(
        message_id if isinstance(message_id, str) and len(message_id) <= MAX_ID_LENGTH else None,
        game if isinstance(game, str) and is_valid_id(game) else None,
    ), (kinds or [messages.ClientMessage])[0]


def _outcome(message: messages.ClientMessage | None) -> str:
    """Return what the client must know of a message that the store may not have received."""
    if not isinstance(message, CommandMessage):
        return problems.NOTHING_CHANGED
    return problems.MAYBE_APPLIED if message.key is None else problems.outcome_with_key("key")


def _parse_if_match(if_match: str | int) -> list[Revision]:
    version, _, digest = str(if_match).strip('"').partition("-")
    return [Revision(int(version), bytes.fromhex(digest))]


_DECODER = msgspec.json.Decoder(messages.ClientMessage)
_ENVELOPE_DECODER = msgspec.json.Decoder(_AnyEnvelope)

_MESSAGE_TYPES = {
    struct: (tag := str(struct.__struct_config__.tag), SOCKET_MESSAGES.labels(tag))
    for struct in get_args(messages.ClientMessage)
}
"""For each message its type as clients write it, and its counter."""

_Acknowledged: TypeAlias = Awaitable[ReplayableResult[ActionResult[msgspec.Raw]]]

_COMMANDS: dict[type[CommandMessage], Callable[[Context, CommandRequest[Any]], _Acknowledged]] = {
    messages.ActMessage: act,
    messages.Undo: undo,
    messages.Resign: resign_seat,
    messages.ReturnToSeat: return_to_seat,
}
"""The commands of the messages that run one."""


SHARED_PATH = "/v1/ws"

GAME_PATH = "/v1/games/{id}/ws"
"""Takes any id: a browser can read why it was rejected only after the upgrade."""


def add_routes(app: App) -> None:
    """Add both WebSocket routes, and the registry that they share with event streams."""
    app[STREAMS] = StreamRegistry(app[LIMITS])
    reject_incomplete_messages()
    app.router.add(("GET", "HEAD"), SHARED_PATH, serve_websocket, terms=Terms())
    for patterns in ({"id": ID}, {}):
        app.router.add(("GET", "HEAD"), GAME_PATH, serve_websocket, patterns, Terms(may_guess=True))
    app.on_shutdown.append(close_streams)


async def close_streams(app: App) -> None:
    """Close all sockets and event streams, while the server still reads what their clients answer."""
    await app[STREAMS].close_all()


async def serve_websocket(request: HttpRequest) -> web.StreamResponse:
    """Serve a socket for any number of games; it starts subscribed to the game that the path names, if any."""
    app, charge = request.app, get_connection(request).charge
    charge.settle()
    charge.may_guess = False  # its messages count guesses
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


def _welcome(app: App) -> messages.Welcome:
    limits = app[LIMITS]
    return messages.Welcome(
        now=app[CONTEXT].now(),
        ping_interval_ms=int(1000 * limits.ping_interval_s),
        max_message_bytes=limits.max_message_bytes,
        max_subscriptions=limits.max_subscriptions,
    )


async def _start_session(request: HttpRequest, session: Session, connection: WebSocketConnection) -> None:
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
        connection.refuse(error)

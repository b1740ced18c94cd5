"""The upper half of a socket: what each message asks, and its answer. Source: api.md, "WebSocket"."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, TypeVar, get_args

import msgspec
from aiohttp import WSMessage, WSMsgType, web

from schemas.messages import (
    Ack,
    ActMessage,
    Auth,
    ClientMessage,
    Error,
    Ping,
    Pong,
    Resign,
    Return,
    SeatMessage,
    Subscribe,
    Subscribed,
    Sync,
    Undo,
    Unsubscribe,
)
from schemas.problems import Problem, problem
from schemas.vocabulary import is_valid_id
from service.games import repository
from service.games.access import AccessRecord, authorize_read
from service.games.commands.act import act
from service.games.commands.execute import CommandRequest, CommandResult, ExpectedVersion
from service.games.commands.resign import resign_seat, return_to_seat
from service.games.commands.undo import undo
from service.games.context import Context
from service.games.errors import GameError, Malformed, NoSuchGame, Unauthorized
from service.games.i18n import ENGLISH, Language
from service.games.ports import GameRecord, StoreUnavailable
from service.games.realtime.recovery import build_snapshot, resolve_position
from service.games.realtime.stream_position import StreamPosition
from service.telemetry import tracing
from service.telemetry.metrics import PROBLEMS, SOCKET_MESSAGES
from service.web.app_keys import CONTEXT, HUB, LIMITS
from service.web.errors import RateLimited
from service.web.parsing import check_token
from service.web.problems import PROBLEM_ERRORS, to_malformed, to_problem
from service.web.ratelimit import costs
from service.web.ratelimit.bot_charges import make_bot_charge
from service.web.ratelimit.charges import MIN_FAILED_STATUS, Charge
from service.web.ratelimit.concurrency import REPLAY_QUEUE
from service.web.ratelimit.limiter import RATE_LIMITER
from service.web.websocket.capacity import check_subscriber_limit
from service.web.websocket.connection import WebSocketConnection, close_code
from service.web.websocket.tokens import SocketTokens

__all__ = ["Session"]

B = TypeVar("B")

_TAGS: dict[type, str] = {one: str(one.__struct_config__.tag) for one in get_args(ClientMessage)}
"""The type of each message as clients write it."""

_RECEIVED = {one: SOCKET_MESSAGES.labels(tag) for one, tag in _TAGS.items()}

MAX_REFUSED = 100
"""Messages in a row that come too fast; who goes on is closed."""

Changing = ActMessage | SeatMessage
"""Messages that change a game."""

MAX_ID = 64
"""As schemas.messages.MessageId."""


class Session:
    """What one client has told of itself, and the answers to its messages."""

    __slots__ = (
        "_client",
        "_connection",
        "_context",
        "_guard",
        "_hub",
        "_limits",
        "_path_game",
        "_payer",
        "_refused",
        "_replays",
        "language",
        "tokens",
    )

    def __init__(
        self, app: web.Application, connection: WebSocketConnection, client: str, payer: Charge | None
    ) -> None:
        self._client = client
        """Its address."""
        self._payer = payer
        """Who pays for what is being done: at first the upgrade."""
        self._guard = app[RATE_LIMITER]
        self._replays = app[REPLAY_QUEUE]
        self._refused = 0
        """Messages that came too fast, since the last one that did not."""
        self._context = app[CONTEXT]
        self._limits = app[LIMITS]
        self._hub = app[HUB]
        self._connection = connection
        self._path_game: str | None = None
        """The one that the upgrade named."""
        connection.check_token = self._recheck
        self.tokens = SocketTokens(self._limits.max_subscriptions)
        self.language: Language = ENGLISH
        """Of the legal moves' texts, as the upgrade's Accept-Language asks."""

    async def subscribe_to_path_game(self, game: str, since: int | None, digest: str | None) -> None:
        """Do the `subscribe` that the path implies; the header's token is this game's. Raises what is refused."""
        self._path_game, token = game, self.tokens.upgrade_token
        if token is not None:
            self.tokens.add(game, token)  # if it does not, the socket is closed
        try:
            await self._subscribe(Subscribe(game=game, since=since, digest=digest))
        except (NoSuchGame, Unauthorized):
            self._guard.count_guess(self._client)
            raise
        if token is not None:
            self._guard.trust_tokens((token,))

    async def handle_message(self, message: WSMessage) -> None:
        """Do what a text or binary message asks, and answer it; pings and pongs are only counted."""
        if message.type in _CONTROL:
            await self._is_heard(None, None)
            return
        if message.type is WSMsgType.BINARY:
            await self._refuse_malformed(None, None, Malformed("messages are text"))
            return
        try:
            asked = _DECODER.decode(message.data)
        except (msgspec.MsgspecError, RecursionError) as error:
            SOCKET_MESSAGES.labels("malformed").inc()
            await self._refuse_malformed(*_envelope(message.data), to_malformed(error))
            return
        kind, status = _TAGS[type(asked)], 200
        _RECEIVED[type(asked)].inc()
        try:
            await self._admit(asked)
            with tracing.span(kind, "server"):
                await self._do(asked)
        except RateLimited as error:
            status = MIN_FAILED_STATUS
            self._hold_up(asked.id, None if isinstance(asked, Ping) else asked.game, error)
        except PROBLEM_ERRORS as error:
            status = MIN_FAILED_STATUS
            if isinstance(error, NoSuchGame | Unauthorized):
                self._guard.count_guess(self._client)
            self._refuse(asked.id, None if isinstance(asked, Ping) else asked.game, to_problem(error))
        finally:
            if self._payer is not None:
                self._payer.settle(status)

    async def _do(self, asked: ClientMessage) -> None:
        match asked:
            case Auth():
                await self._auth(asked)
            case Subscribe():
                await self._subscribe(asked)
            case Unsubscribe():
                self._connection.unsubscribe(asked.game)
                self._connection.send(Ack(id=asked.id, game=asked.game, version=None, digest=None))
            case Sync():
                await self._sync(asked)
            case ActMessage():
                await self._change(asked, asked.to_act(), act)
            case Undo():
                await self._change(asked, asked.to_body(), partial(undo, replaying=self._replaying))
            case Resign():
                await self._change(asked, asked.to_body(), resign_seat)
            case Return():
                await self._change(asked, asked.to_body(), return_to_seat)
            case Ping():
                self._connection.send(Pong(id=asked.id))

    async def _admit(self, asked: ClientMessage) -> None:
        """Raise RateLimited where this client says too much."""
        self._payer = None  # whoever said the message before has paid
        self._payer = await self._guard.admit_message(self._client, self.tokens.said(asked))
        self._refused = 0

    async def _pay(self, tokens: int) -> None:
        """Charge what a message costs besides. Raises RateLimited."""
        if self._payer is not None:
            await self._payer.increase(tokens)

    @asynccontextmanager
    async def _replaying(self, versions: int) -> AsyncIterator[None]:
        """Wait for a turn to replay a game, and charge it. Raises Busy, RateLimited."""
        async with self._replays.slot(self._client):
            await self._pay(versions // costs.REPLAYED_VERSIONS_PER_TOKEN)
            yield

    async def _is_heard(self, message_id: str | None, game: str | None) -> bool:
        """Count what is no message of the contract; whether it may come at all, else it is refused."""
        try:
            await self._guard.admit_message(self._client, self.tokens.other())
        except RateLimited as error:
            self._hold_up(message_id, game, error)
            return False
        return True

    def _hold_up(self, message_id: str | None, game: str | None, error: RateLimited) -> None:
        """Refuse what came too fast; close where it goes on and on."""
        self._refuse(message_id, game, to_problem(error))
        self._refused += 1
        if self._refused >= MAX_REFUSED:
            self._connection.close(close_code("rate_limited"), "rate_limited")

    async def _refuse_malformed(self, message_id: str | None, game: str | None, error: Malformed) -> None:
        if await self._is_heard(message_id, game):
            self._refuse(message_id, game, to_problem(error))

    async def _auth(self, asked: Auth) -> None:
        """Keep a token that the game knows; one that it does not know changes nothing."""
        check_token(asked.token)
        _, access = await repository.load_game(self._context, asked.game)
        authorize_read(access, asked.game, asked.token)
        if not self.tokens.has_room(asked.game):
            self._refuse(asked.id, asked.game, self._too_many())
            return
        self._prove(asked.game, asked.token)
        self._connection.send(Ack(id=asked.id, game=asked.game, version=None, digest=None))

    async def _subscribe(self, asked: Subscribe) -> None:
        """Begin, or begin again: from then on the game is told once and in order."""
        game = asked.game
        self._connection.unsubscribe(game)
        if len(self._connection.games) >= self._limits.max_subscriptions:
            self._refuse(asked.id, game, self._too_many())
            return
        check_subscriber_limit(self._hub, game, self._limits)
        loaded = await self._read(game)
        position = await resolve_position(self._context.store, game, loaded, asked.since, asked.digest)
        behind = 0 if position is None else loaded.version - position.version
        await self._pay(costs.SNAPSHOT_MESSAGE if position is None else behind // costs.DIFFS_TO_SOCKET_PER_TOKEN)
        whole = build_snapshot(self._context.tilesets, game, loaded) if position is None else None
        self._connection.send(
            Subscribed(id=asked.id, game=game, recovered=whole is None, version=loaded.version, digest=loaded.digest)
        )
        if whole is not None:
            self._connection.deliver(whole)
        await self._join(game, position or StreamPosition(loaded.version, loaded.digest))

    async def _sync(self, asked: Sync) -> None:
        """Tell the whole game; who watches it goes on from there, or, where that fails, from where they were."""
        game = asked.game
        position = self._connection.unsubscribe(game)
        try:
            loaded = await self._read(game)
            await self._pay(costs.SNAPSHOT_MESSAGE)
            self._connection.deliver(build_snapshot(self._context.tilesets, game, loaded))
        except PROBLEM_ERRORS:
            if position is not None:
                await self._join(game, position)
            raise
        if position is not None:
            await self._join(game, StreamPosition(loaded.version, loaded.digest))

    async def _change(
        self, asked: Changing, body: B, do: Callable[[Context, str, CommandRequest[B]], Awaitable[CommandResult]]
    ) -> None:
        """Do the same as over HTTP; where the game is watched, its diffs come before the answer."""
        game, token = asked.game, self.tokens.for_game(asked.game)
        acted, _, _ = await do(
            self._context,
            game,
            CommandRequest(
                body=body,
                token=token,
                if_match=_expected(asked.if_match),
                key=asked.key,
                include_moves=asked.include is not None,
                language=self.language,
                charge_bots=make_bot_charge(self._guard, self._context.bots, self._client),
            ),
        )
        if token is not None and self.tokens.of_game(game) is None:
            self._prove(game, token)
        await self._hub.wait_for_version(self._connection, game, acted.version)
        self._connection.send(
            Ack(id=asked.id, game=game, version=acted.version, digest=acted.digest, legal_moves=acted.legal_moves)
        )

    async def _read(self, game: str) -> GameRecord:
        """The game, if this client may read it.

        The header's token is for whichever games know it: to others it says nothing, and the public ones stay public.
        """
        loaded, access = await repository.load_game(self._context, game)
        self._check_read(access, game)
        return loaded

    def _check_read(self, access: AccessRecord, game: str) -> None:
        """Raise unless this client may read the game."""
        own, of_upgrade = self.tokens.of_game(game), self.tokens.upgrade_token
        if own is not None or of_upgrade is None:
            authorize_read(access, game, own)
        else:
            with suppress(Unauthorized):
                authorize_read(access, game, of_upgrade)

    def _recheck(self, game: str, access: AccessRecord) -> None:
        """A token of a watched game has ended: where it was this client's, the game is watched no longer.

        The socket goes with it, if it is that game's own.
        """
        try:
            self._check_read(access, game)
        except (NoSuchGame, Unauthorized) as error:
            self.tokens.remove(game)
            if game == self._path_game:
                code = to_problem(error).code
                self._connection.close(close_code(code), code)
            else:
                self._connection.unsubscribe(game)
                self._connection.end_subscription(game, error)

    def _prove(self, game: str, token: str) -> None:
        """Keep a token that has opened a game."""
        self.tokens.add(game, token)
        self._guard.trust_tokens((token,))

    async def _join(self, game: str, position: StreamPosition) -> None:
        self._connection.games.add(game)
        try:
            await self._hub.subscribe(self._connection, game, position)
        except GameError:
            self._connection.games.discard(game)
            raise
        except StoreUnavailable as unavailable:
            # The client was told that it is subscribed: only a new socket makes that true.
            self._connection.games.discard(game)
            self._connection.request_reconnect(1000 * unavailable.retry_after_s)
            raise
        if game not in self._connection.games:  # the socket was closed meanwhile
            self._hub.unsubscribe(self._connection, game)

    def _too_many(self) -> Problem:
        most = self._limits.max_subscriptions
        return problem("rate_limited", f"one socket watches {most} games at most, and keeps {most} tokens")

    def _refuse(self, message_id: str | None, game: str | None, what: Problem) -> None:
        PROBLEMS.labels(what.code, "socket").inc()
        self._connection.send(Error(id=message_id, game=game, problem=what))


class _Envelope(msgspec.Struct):
    """What the answer to a message echoes, in any object."""

    id: Any = None
    game: Any = None


def _envelope(text: str) -> tuple[str | None, str | None]:
    """The id and the game of a message that is otherwise wrong, each None where it is wrong itself."""
    try:
        envelope = _ENVELOPE_DECODER.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return None, None
    message_id, game = envelope.id, envelope.game
    return (
        message_id if isinstance(message_id, str) and len(message_id) <= MAX_ID else None,
        game if isinstance(game, str) and is_valid_id(game) else None,
    )


def _expected(if_match: str | None) -> list[ExpectedVersion] | None:
    if if_match is None:
        return None
    version, _, digest = if_match.partition("-")
    return [ExpectedVersion(int(version), digest or None)]


_CONTROL = frozenset({WSMsgType.PING, WSMsgType.PONG})
_DECODER = msgspec.json.Decoder(ClientMessage)
_ENVELOPE_DECODER = msgspec.json.Decoder(_Envelope)

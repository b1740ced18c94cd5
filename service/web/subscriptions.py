"""The subscriptions of one WebSocket, and the tokens that its client has presented.

The tokens that the client of one WebSocket has presented, and whom a message is charged to.
"""

from contextlib import suppress
from typing import NamedTuple

from schemas.messages import Ack, ActMessage, Auth, ClientMessage, SeatMessage, Subscribe, Subscribed, Sync, Unsubscribe
from service.games import repository
from service.games.access import AccessRecord, authorize_read
from service.games.channel import build_snapshot
from service.games.errors import GameError, NoSuchGame, ServiceError, Unauthorized
from service.games.ports import Revision, StoredGame, StoreUnavailable
from service.web.app import CONTEXT, HUB, LIMITS, App
from service.web.connection import ClientConnection
from service.web.headers import make_token_id
from service.web.problems import TooManyConnections, to_problem
from service.web.rate_limiter import MessageInfo
from service.web.streaming import SENT_DIFF_S, check_subscriber_limit
from service.web.websocket_connection import WebSocketConnection, problem_close_code


class VerifiedToken(NamedTuple):
    """A token that its game accepts, if there is one."""

    token: str | None = None
    key: bytes | None = None
    """Its hash, by which rate limits know it."""


NO_TOKEN = VerifiedToken()


class SessionTokens:
    """A token per game, and the upgrade request's own, which may be valid for any number of games."""

    __slots__ = ("_latest_key", "_max_tokens", "_verified", "upgrade_token")

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

    def message_info(self, message: ClientMessage) -> MessageInfo:
        """Return what the rate limiter needs to know of a message: whose it is."""
        match message:
            case ActMessage() | SeatMessage():
                key = self._verified.get(message.game, NO_TOKEN).key
                return MessageInfo(self.upgrade_token, key, message.game, message.key is not None)
            case Auth():
                return MessageInfo(token=message.token, game=message.game)
            case Subscribe() | Sync():
                key = self._verified.get(message.game, NO_TOKEN).key or self._latest_key
                return MessageInfo(self.upgrade_token, key, message.game)
            case _:
                return self.other_message_info()

    def other_message_info(self) -> MessageInfo:
        """Return the same for a message that names no game: a ping, or a malformed message."""
        return MessageInfo(self.upgrade_token, self._latest_key)


class Subscriptions:
    """The games that one client follows, and its right to read them."""

    __slots__ = ("_client", "_connection", "_context", "_hub", "_limits", "_tokens", "path_game")

    def __init__(
        self, app: App, client: ClientConnection, connection: WebSocketConnection, tokens: SessionTokens
    ) -> None:
        self.path_game: str | None = None
        """The game that the upgrade's path names; the socket is closed with its subscription."""
        self._context = app[CONTEXT]
        self._limits = app[LIMITS]
        self._hub = app[HUB]
        self._client = client
        self._connection = connection
        self._tokens = tokens
        connection.on_token_revoked = self._recheck_token

    async def subscribe(self, message: Subscribe) -> None:
        """Start a subscription, or start it anew: the client gets every later version once and in order.

        Raises NoSuchGame, Unauthorized, TooManyConnections, StoreUnavailable.
        """
        game, connection = message.game, self._connection
        connection.unsubscribe(game)
        if len(connection.games) >= self._limits.max_subscriptions:
            raise TooManyConnections("games of this socket", self._limits.max_subscriptions, "max-subscriptions")
        check_subscriber_limit(self._hub, game, self._limits)
        record = await self._load_readable(game, message.since)
        position = record.resume_from(bytes.fromhex(message.digest) if message.digest else None)
        snapshot = build_snapshot(self._context.tilesets, game, record) if position is None else None
        if position is not None:
            self._client.loop_time.unpaid_s += (record.revision.version - position.version) * SENT_DIFF_S
        version, digest = record.revision
        connection.send(
            Subscribed(id=message.id, game=game, recovered=snapshot is None, version=version, digest=digest.hex())
        )
        if snapshot is not None:
            connection.deliver(snapshot)
        await self._subscribe_from(game, position or Revision(version, digest), record.last_revocation)

    def unsubscribe(self, message: Unsubscribe) -> None:
        """End a subscription."""
        self._connection.unsubscribe(message.game)
        self._connection.send(Ack(id=message.id, game=message.game, version=None, digest=None))

    async def send_snapshot(self, message: Sync) -> None:
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
        verified, upgrade_token = self._tokens.get_verified(game), self._tokens.upgrade_token
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
            self._tokens.remove(game)
            if game == self.path_game:
                code = to_problem(error).code
                self._connection.close(problem_close_code(code), code)
            elif self._connection.unsubscribe(game) is not None:
                self._connection.end_subscription(game, error)

"""Queries: a method for each resource of the API."""

import copy
from collections.abc import AsyncGenerator, Sequence
from typing import Literal, Self, TypeVar

import aiohttp

from south_seas.backoff import Backoff
from south_seas.clock import ServerClock
from south_seas.events import StartState
from south_seas.http import HttpClient, HttpRequest, QueryValue
from south_seas.log_pages import iterate_log
from south_seas.models import (
    BoardFeatures,
    BotList,
    Deliveries,
    Diffs,
    Games,
    GameView,
    LegalMoves,
    MyGames,
    Scores,
    Story,
    TileSet,
    TileSets,
    TilesLeft,
    Webhook,
    Webhooks,
)
from south_seas.replica import JsonObject
from south_seas.subscription import Subscription
from south_seas.websocket import Sockets

__all__ = ["QueryClient"]

T = TypeVar("T")

Status = Literal["waiting", "active", "finished", "aborted"]

DEFAULT_BACKOFF = Backoff()


class QueryClient:
    """A client that only reads. It sends its token with every request.

    Methods raise APIError, UnreachableError and InvalidResponseError. They retry after lost connections, and while the
    service is busy.
    """

    def __init__(  # noqa: PLR0913  options, each by name
        self,
        url: str,
        token: str | None = None,
        *,
        creator_key: str | None = None,
        api_key: str | None = None,
        language: str | None = None,
        session: aiohttp.ClientSession | None = None,
        backoff: Backoff = DEFAULT_BACKOFF,
    ) -> None:
        """Create a client of the service at `url`.

        `creator_key` is the secret with which a chat bot lists its games. `api_key` is the secret that the operator
        gives to hosts of many players; games are created and joined with it. `language` is that of texts, as in
        Accept-Language. The caller closes a given `session`.
        """
        self.token = token
        self._creator_key = creator_key
        self._api_key = api_key
        self._http = HttpClient(url, session, backoff, language)
        self._sockets = Sockets(self._http)

    @property
    def url(self) -> str:
        """The URL of the service."""
        return self._http.url

    @property
    def backoff(self) -> Backoff:
        """The retries of requests and subscriptions."""
        return self._http.backoff

    @property
    def clock(self) -> ServerClock:
        """The service's clock, set by sockets and by responses to POST."""
        return self._http.clock

    def with_token(self, token: str | None) -> Self:
        """Return a client with another token that shares the connections."""
        other = copy.copy(self)
        other.token = token
        return other

    def with_backoff(self, backoff: Backoff) -> Self:
        """Return a client with other retries that shares the connections."""
        other, http = self._derive()
        http.backoff = backoff
        return other

    def with_language(self, language: str | None) -> Self:
        """Return a client that asks for texts in another language and shares the connections."""
        other, http = self._derive()
        http.language = language
        return other

    def _derive(self) -> tuple[Self, HttpClient]:
        """Return a copy, and its part that has the settings of requests."""
        other = copy.copy(self)
        other._http = http = copy.copy(self._http)  # noqa: SLF001  a copy of this client
        return other, http

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._sockets.close()
        await self._http.pool.close()

    async def read(self, path: str, **query: QueryValue) -> bytes:
        """Return the body of a GET of any path, which begins with `/`."""
        if not path.startswith("/"):
            raise ValueError(f"{path!r}: a path begins with /, as /v1/bots")
        return await self._http.request_bytes(HttpRequest("GET", path, query), self.token)

    async def _get(self, response_type: type[T], path: str, **query: QueryValue) -> T:
        return await self._http.request(response_type, HttpRequest("GET", path, query), self.token)

    async def tilesets(self) -> TileSets:
        """Return all tile sets."""
        return await self._get(TileSets, "/v1/tilesets")

    async def tileset(self, tileset: str) -> TileSet:
        """Return a tile set."""
        return await self._get(TileSet, f"/v1/tilesets/{tileset}")

    async def games(
        self, status: Status | None = None, *, limit: int | None = None, cursor: str | None = None
    ) -> Games:
        """Return public games, newest first."""
        return await self._get(Games, "/v1/games", status=status, limit=limit, cursor=cursor)

    async def game(self, game: str) -> GameView:
        """Return GAME."""
        return await self._get(GameView, f"/v1/games/{game}")

    async def board(self, game: str, form: Literal["png", "svg", "txt"] = "png", **query: QueryValue) -> bytes:
        """Return a picture of the board; `query` sets size, section and overlays."""
        return await self.read(f"/v1/games/{game}/board.{form}", **query)

    async def tile_picture(
        self, tileset: str, tile: str, form: Literal["png", "svg"] = "png", **query: QueryValue
    ) -> bytes:
        """Return a picture of a tile."""
        return await self.read(f"/v1/tilesets/{tileset}/tiles/{tile}.{form}", **query)

    async def tile_pictures(self, tileset: str, **query: QueryValue) -> bytes:
        """Return all tiles of a set, in every rotation, as the symbols of one SVG."""
        return await self.read(f"/v1/tilesets/{tileset}/tiles.svg", **query)

    async def ship_picture(
        self, tileset: str, ship: str, form: Literal["png", "svg"] = "png", **query: QueryValue
    ) -> bytes:
        """Return a picture of a ship."""
        return await self.read(f"/v1/tilesets/{tileset}/ships/{ship}.{form}", **query)

    async def legal_moves(  # noqa: PLR0913 (one parameter for each filter)
        self,
        game: str,
        *,
        stage: Literal["cell"] | None = None,
        x: int | None = None,
        y: int | None = None,
        q: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        effects: bool | None = None,
    ) -> LegalMoves:
        """Return the legal moves, or a filtered part of them for a menu; with `effects`, what each of them causes."""
        return await self._get(
            LegalMoves,
            f"/v1/games/{game}/legal-moves",
            stage=stage,
            x=x,
            y=y,
            q=q,
            limit=limit,
            cursor=cursor,
            effects=effects,
        )

    async def scores(self, game: str) -> Scores:
        """Return points and islander values (R8.3, R8.4)."""
        return await self._get(Scores, f"/v1/games/{game}/scores")

    async def features(self, game: str, *, x: int | None = None, y: int | None = None) -> BoardFeatures:
        """Return the features of a tile, or of the whole board, and what each is worth (R8.4)."""
        return await self._get(BoardFeatures, f"/v1/games/{game}/features", x=x, y=y)

    async def tiles(self, game: str) -> TilesLeft:
        """Return the tiles left in the bag (R8.1)."""
        return await self._get(TilesLeft, f"/v1/games/{game}/tiles")

    async def diffs(self, game: str, since: int = 0, *, limit: int | None = None) -> Diffs:
        """Return a page of the log after version `since`."""
        return await self._get(Diffs, f"/v1/games/{game}/diffs", since=since, limit=limit)

    async def log(self, game: str, since: int = 0) -> AsyncGenerator[JsonObject, None]:
        """Yield the diffs after version `since` as decoded JSON, for storing and verifying."""
        async for diff in iterate_log(self._http, game, self.token, since):
            yield diff

    async def story(self, game: str, since: int = 0, *, limit: int | None = None) -> Story:
        """Return the story after version `since`: the events as sentences."""
        return await self._get(Story, f"/v1/games/{game}/story", since=since, limit=limit)

    async def bots(self) -> BotList:
        """Return the bots that can fill a seat."""
        return await self._get(BotList, "/v1/bots")

    async def webhooks(self, game: str) -> Webhooks:
        """Return the game's webhooks, as the owner."""
        return await self._get(Webhooks, f"/v1/games/{game}/webhooks")

    async def webhook(self, game: str, hook: str) -> Webhook:
        """Return a webhook with its delivery status, as the owner."""
        return await self._get(Webhook, f"/v1/games/{game}/webhooks/{hook}")

    async def deliveries(self, game: str, hook: str) -> Deliveries:
        """Return recent delivery attempts of a webhook, as the owner."""
        return await self._get(Deliveries, f"/v1/games/{game}/webhooks/{hook}/deliveries")

    async def my_games(
        self,
        tokens: Sequence[str] = (),
        *,
        external_user: str | None = None,
        waiting: bool | None = None,
        status: Status | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> MyGames:
        """Return the games of `tokens`; without them, of the client's creator key, or else of its token."""
        query = {"external_user": external_user, "waiting": waiting, "status": status, "limit": limit, "cursor": cursor}
        token = ", ".join(tokens) or self._creator_key or self.token
        return await self._http.request(MyGames, HttpRequest("GET", "/v1/seats/me/games", query), token)

    def subscribe(self, game: str, *, start: StartState | None = None, past_end: bool = False) -> Subscription:
        """Return a subscription: an async context manager that iterates over the diffs of a game.

        `start` is a state to resume from, as the response of `create` or `join`. The iteration ends when the game is
        over, unless `past_end` is true. All subscriptions of a client share one WebSocket, or as few as the service
        permits.
        """
        return Subscription(self._sockets, game, self.token, start, past_end=past_end)

    def _api_key_headers(self) -> dict[str, str]:
        return {} if self._api_key is None else {"Api-Key": self._api_key}

    def _creation_headers(self) -> dict[str, str]:
        creator = {} if self._creator_key is None else {"Creator-Key": self._creator_key}
        return creator | self._api_key_headers()

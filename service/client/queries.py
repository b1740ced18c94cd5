"""Asking without changing anything: a method for each thing that can be read. Source: api.md."""

import copy
from collections.abc import AsyncGenerator, Sequence
from typing import Literal, Self, TypeVar

import aiohttp

from schemas.acting import LegalMoves
from schemas.bots import BotList
from schemas.diffs import Diff, Diffs
from schemas.game import GameView
from schemas.lobby import Games, MyGames
from schemas.scores import Scores, TilesLeft
from schemas.story import Story
from schemas.tileset import TileSet, TileSets
from schemas.vocabulary import Status
from schemas.webhooks import Deliveries, Webhook, Webhooks
from service.client.backoff import Backoff
from service.client.events import StartState
from service.client.http import HttpClient, HttpRequest, QueryValue
from service.client.log_pages import iterate_log
from service.client.replica import JsonObject
from service.client.subscription import Subscription

__all__ = ["QueryClient"]

T = TypeVar("T")

DEFAULT_BACKOFF = Backoff()


class QueryClient:
    """One service, and a token that is said with each request.

    Every method raises Refused (in its kinds), Unreachable and Unreadable. Requests are sent again after lost
    connections and where the service is busy.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        creator_key: str | None = None,
        language: str | None = None,
        session: aiohttp.ClientSession | None = None,
        backoff: Backoff = DEFAULT_BACKOFF,
    ) -> None:
        """Ask the service at `url`.

        `creator_key` is the secret by which a chat bot finds its games, `language` is for texts, as Accept-Language.
        A given `session` stays open.
        """
        self.token = token
        self._creator_key = creator_key
        self._http = HttpClient(url, session, backoff, language)

    @property
    def url(self) -> str:
        """Where the service is."""
        return self._http.url

    def with_token(self, token: str | None) -> Self:
        """The same client, over the same connections, for another token."""
        other = copy.copy(self)
        other.token = token
        return other

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.close()

    async def read(self, path: str, **query: QueryValue) -> bytes:
        """Whatever the service answers to a GET, as it came."""
        return await self._http.request_bytes(HttpRequest("GET", path, query), self.token)

    async def _get(self, response_type: type[T], path: str, **query: QueryValue) -> T:
        return await self._http.request(response_type, HttpRequest("GET", path, query), self.token)

    async def tilesets(self) -> TileSets:
        """Every tile set."""
        return await self._get(TileSets, "/v1/tilesets")

    async def tileset(self, tileset: str) -> TileSet:
        """A tile set."""
        return await self._get(TileSet, f"/v1/tilesets/{tileset}")

    async def games(
        self, status: Status | None = None, *, limit: int | None = None, cursor: str | None = None
    ) -> Games:
        """Public games, newest first."""
        return await self._get(Games, "/v1/games", status=status, limit=limit, cursor=cursor)

    async def game(self, game: str) -> GameView:
        """GAME."""
        return await self._get(GameView, f"/v1/games/{game}")

    async def board(self, game: str, form: Literal["png", "svg", "txt"] = "png", **query: QueryValue) -> bytes:
        """A picture of the board; `query` says how large, which part, and what else is on it."""
        return await self.read(f"/v1/games/{game}/board.{form}", **query)

    async def tile_picture(
        self, tileset: str, tile: str, form: Literal["png", "svg"] = "png", **query: QueryValue
    ) -> bytes:
        """A picture of a tile of a set."""
        return await self.read(f"/v1/tilesets/{tileset}/tiles/{tile}.{form}", **query)

    async def ship_picture(
        self, tileset: str, ship: str, form: Literal["png", "svg"] = "png", **query: QueryValue
    ) -> bytes:
        """A picture of a ship of a set."""
        return await self.read(f"/v1/tilesets/{tileset}/ships/{ship}.{form}", **query)

    async def legal_moves(  # noqa: PLR0913 (one parameter for each of the menu's filters)
        self,
        game: str,
        *,
        stage: Literal["cell"] | None = None,
        x: int | None = None,
        y: int | None = None,
        q: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> LegalMoves:
        """Everything that may be done now, or a part of it for a menu."""
        return await self._get(
            LegalMoves, f"/v1/games/{game}/legal-moves", stage=stage, x=x, y=y, q=q, limit=limit, cursor=cursor
        )

    async def scores(self, game: str) -> Scores:
        """Points, and what each islander would bring (R8.3, R8.4)."""
        return await self._get(Scores, f"/v1/games/{game}/scores")

    async def tiles(self, game: str) -> TilesLeft:
        """The tiles left in the bag (R8.1)."""
        return await self._get(TilesLeft, f"/v1/games/{game}/tiles")

    async def diffs(self, game: str, since: int = 0, *, limit: int | None = None) -> Diffs[Diff]:
        """A page of the log, after version `since`."""
        return await self._get(Diffs[Diff], f"/v1/games/{game}/diffs", since=since, limit=limit)

    async def log(self, game: str, since: int = 0) -> AsyncGenerator[JsonObject, None]:
        """The diffs after version `since`, up to what is there now, as they came: for keeping and verifying."""
        async for diff in iterate_log(self._http, game, self.token, since):
            yield diff

    async def story(self, game: str, since: int = 0, *, limit: int | None = None) -> Story:
        """What happened after version `since`, in sentences."""
        return await self._get(Story, f"/v1/games/{game}/story", since=since, limit=limit)

    async def bots(self) -> BotList:
        """Every bot that can fill a seat."""
        return await self._get(BotList, "/v1/bots")

    async def webhooks(self, game: str) -> Webhooks:
        """The game's webhooks, for its owner."""
        return await self._get(Webhooks, f"/v1/games/{game}/webhooks")

    async def webhook(self, game: str, hook: str) -> Webhook:
        """How a webhook fares, for the game's owner."""
        return await self._get(Webhook, f"/v1/games/{game}/webhooks/{hook}")

    async def deliveries(self, game: str, hook: str) -> Deliveries:
        """What was sent to a webhook of late, for the game's owner."""
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
        """The games of these tokens, else those that came with the client's creator's key, else those of its token."""
        query = {"external_user": external_user, "waiting": waiting, "status": status, "limit": limit, "cursor": cursor}
        token = ", ".join(tokens) or self._creator_key or self.token
        return await self._http.request(MyGames, HttpRequest("GET", "/v1/seats/me/games", query), token)

    def subscribe(self, game: str, *, start: StartState | None = None, past_end: bool = False) -> Subscription:
        """A copy of a game that follows every change, as a context; iterate over it for the diffs.

        `start` is a state to go on from, as `create` and `join` answer. The iteration ends when the game does, unless
        `past_end`.
        """
        return Subscription(self._http, game, self.token, start, past_end=past_end)

    def _creator_headers(self) -> dict[str, str]:
        return {} if self._creator_key is None else {"Creator-Key": self._creator_key}

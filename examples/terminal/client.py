"""The service over HTTP: the few requests that a table needs, each tried again where that is safe."""

import asyncio
from secrets import token_hex
from typing import Any, TypeVar

import aiohttp
import msgspec

from schemas.acting import Acted, LegalMoves
from schemas.base import encode
from schemas.diffs import Diffs
from schemas.lobby import Created, CreateGame, Games, Joined, JoinGame
from schemas.problems import Problem
from schemas.scores import Scores, TilesLeft
from schemas.tileset import TileSet

T = TypeVar("T")

TRIES = 5
FIRST_WAIT_S = 0.25
"""Between two tries, doubled each time."""

PATIENCE_S = 20.0
"""How long one try may take."""


class Refused(Exception):
    """The service said no; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


class Unreachable(Exception):
    """The service did not answer, however often it was asked; `reason` is what the last try met."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(url, reason)
        self.url = url
        self.reason = reason


class Client:
    """One service; every method raises Refused and Unreachable."""

    def __init__(self, http: aiohttp.ClientSession, url: str) -> None:
        self.http = http
        self.url = url.rstrip("/")

    async def tileset(self, tileset: str) -> TileSet:
        """A tile set."""
        return await self._ask(TileSet, "GET", f"/v1/tilesets/{tileset}")

    async def waiting(self) -> Games:
        """The public games that have an open seat."""
        return await self._ask(Games, "GET", "/v1/games?status=waiting")

    async def create(self, asked: CreateGame) -> Created:
        """A new game."""
        return await self._ask(Created, "POST", "/v1/games", body=asked)

    async def join(self, game: str, asked: JoinGame, token: str | None) -> Joined:
        """The next open seat of a game; `token` is the spectator's, where the game is private."""
        return await self._ask(Joined, "POST", f"/v1/games/{game}/seats", token=token, body=asked)

    async def legal_moves(self, game: str, token: str | None) -> LegalMoves:
        """All that may be done now."""
        return await self._ask(LegalMoves, "GET", f"/v1/games/{game}/legal-moves", token=token)

    async def scores(self, game: str, token: str | None) -> Scores:
        """Points, and what each islander would bring."""
        return await self._ask(Scores, "GET", f"/v1/games/{game}/scores", token=token)

    async def tiles(self, game: str, token: str | None) -> TilesLeft:
        """The tiles still in the bag."""
        return await self._ask(TilesLeft, "GET", f"/v1/games/{game}/tiles", token=token)

    async def diffs(self, game: str, token: str | None, since: int) -> Diffs[dict[str, Any]]:
        """What happened after version `since`."""
        return await self._ask(Diffs[dict[str, Any]], "GET", f"/v1/games/{game}/diffs?since={since}", token=token)

    async def act(self, game: str, token: str, move: str, if_match: str) -> Acted[dict[str, Any]]:
        """Do a move, if the game still has the version and digest that it was chosen in."""
        return await self._ask(
            Acted[dict[str, Any]],
            "POST",
            f"/v1/games/{game}/actions?include=legal_moves",
            token=token,
            body={"move": move},
            headers={"If-Match": f'"{if_match}"'},
        )

    async def _ask(
        self,
        kind: type[T],
        method: str,
        path: str,
        *,
        token: str | None = None,
        body: Any = None,
        headers: dict[str, str] | None = None,
    ) -> T:
        """One request. Its idempotency key makes a second try do what the first may have done already, and no more."""
        sent = dict(headers or {})
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        if method == "POST":
            sent |= {"Idempotency-Key": token_hex(32), "Content-Type": "application/json"}
        reason, wait_s = "", 0.0
        for attempt in range(TRIES):
            await asyncio.sleep(wait_s)
            wait_s = FIRST_WAIT_S * 2**attempt
            try:
                return msgspec.json.decode(await self._once(method, path, sent, body), type=kind)
            except (aiohttp.ClientError, TimeoutError) as error:
                reason = str(error) or type(error).__name__
            except Refused as refusal:
                if refusal.problem.retry_after_s is None:
                    raise
                reason, wait_s = refusal.problem.detail, float(refusal.problem.retry_after_s)
        raise Unreachable(self.url, reason)

    async def _once(self, method: str, path: str, headers: dict[str, str], body: Any) -> bytes:
        data = None if body is None else encode(body)
        timeout = aiohttp.ClientTimeout(total=PATIENCE_S)
        async with self.http.request(method, self.url + path, headers=headers, data=data, timeout=timeout) as answer:
            content = await answer.read()
            if answer.ok:
                return content
            raise Refused(_problem(answer.status, answer.reason or "", content))


def _problem(status: int, reason: str, content: bytes) -> Problem:
    """The service's problem document; one of our own where something between us and the service answered."""
    try:
        return msgspec.json.decode(content, type=Problem)
    except msgspec.DecodeError:
        return Problem(type="about:blank", title=reason, status=status, detail=f"{status} {reason}", code="unknown")

"""A game over HTTP for tests, checks of its responses, and a store that a test can hold up or make fail."""

import asyncio
from random import Random
from typing import Any

from aiohttp import ClientResponse, ClientSession

from service.games.ports import Change, CommitOutcome, StoredDiff, StoredGame, StoreUnavailable
from service.store.game_store import RedisStore
from tests.polling import rounds
from tests.web.app_server import Client

JSON = "application/json"
PROBLEM = "application/problem+json"

IDENTITY = {"Accept-Encoding": "identity"}
"""Asks for an uncompressed response, whose entity tag has no suffix."""

TWO_PLAYERS = [{"name": "Ana"}, {"name": "Bo"}]


def bearer_header(token: str) -> dict[str, str]:
    """Return the header with a bearer token."""
    return {"Authorization": f"Bearer {token}"}


class HTTPGame:
    """A game over HTTP, with its tokens; of an instance in this process, or by a session with its URL."""

    def __init__(self, client: Client | ClientSession, created: dict[str, Any]) -> None:
        self.client = client
        self.created = created
        self.id: str = created["game"]["id"]
        self.path = f"/v1/games/{self.id}"
        self.owner_token: str = created["owner_token"]
        self.spectator_token: str = created["spectator_token"]
        self.seat_tokens: dict[int, str] = {one["seat"]: one["token"] for one in created["seats"]}

    def _headers(self, token: str | None, headers: dict[str, str]) -> dict[str, str]:
        return {**bearer_header(token or self.owner_token), **headers}

    async def get(self, path: str = "", token: str | None = None, **headers: str) -> ClientResponse:
        """GET a path of the game, by default with the owner token."""
        return await self.client.get(self.path + path, headers=self._headers(token, headers))

    async def post(self, path: str, body: Any = None, token: str | None = None, **headers: str) -> ClientResponse:
        """POST to a path of the game, by default with the owner token and without a body."""
        return await self.client.post(self.path + path, json=body, headers=self._headers(token, headers))

    async def delete(self, path: str = "", token: str | None = None, **headers: str) -> ClientResponse:
        """DELETE a path of the game, by default with the owner token; without a path, abort the game."""
        return await self.client.delete(self.path + path, headers=self._headers(token, headers))

    async def join(self, name: str = "Bo", token: str | None = None, **headers: str) -> ClientResponse:
        """Take the next open seat, by default without a token."""
        sent = {**(bearer_header(token) if token else {}), **headers}
        return await self.client.post(f"{self.path}/seats", json={"name": name}, headers=sent)

    async def rematch(self, body: Any = None, token: str | None = None, **headers: str) -> "HTTPGame":
        """Create the rematch, by default with the owner token, check for 201, and return it with the same tokens."""
        response = await self.post("/rematch", body, token, **headers)
        assert response.status == 201, await response.text()
        return HTTPGame(self.client, {**self.created, **await response.json()})

    async def get_json(self, path: str = "") -> Any:
        """GET a path of the game, check for 200, and return the JSON."""
        response = await self.get(path)
        assert response.status == 200, await response.text()
        return await response.json()

    async def log(self) -> Any:
        """Return the diffs of all versions."""
        return (await self.get_json("/diffs?since=0&limit=1000"))["diffs"]

    async def has_ended(self) -> bool:
        """Return whether the game is finished or aborted."""
        return (await self.get_json())["status"] in {"finished", "aborted"}

    async def act(self, body: Any, token: str | None = None, query: str = "", **headers: str) -> ClientResponse:
        """Post an action, by default with the owner token."""
        return await self.post(f"/actions{query}", body, token, **headers)

    async def legal_moves(self) -> Any:
        """Return the legal moves."""
        return (await self.get_json("/legal-moves"))["moves"]

    async def first_move(self) -> dict[str, str]:
        """Return the body of an action that is the first legal move."""
        return {"move": (await self.legal_moves())[0]["id"]}

    async def act_successfully(self, body: Any = None) -> Any:
        """Post an action, by default the first legal move, check for 200, and return the JSON."""
        response = await self.act(await self.first_move() if body is None else body)
        assert response.status == 200, await response.text()
        return await response.json()

    async def play_randomly(self, chance: Random, versions: int = 10_000) -> Any:
        """Play random moves until the end or until the game has `versions` versions, and return GAME."""
        for _ in rounds():
            legal = await self.get_json("/legal-moves")
            if not legal["moves"] or legal["version"] >= versions:
                break
            await self.act_successfully({"move": chance.choice(legal["moves"])["id"]})
        return await self.get_json()


async def create_game(
    client: Client | ClientSession, players: Any = None, headers: dict[str, str] | None = None, **options: Any
) -> HTTPGame:
    """Create a game, by default of two people without open seats."""
    response = await client.post("/v1/games", json={"players": players or TWO_PLAYERS, **options}, headers=headers)
    assert response.status == 201, await response.text()
    return HTTPGame(client, await response.json())


async def check_problem(response: ClientResponse, status: int, code: str, path: str | None = None) -> dict[str, Any]:
    """Check that the response is this problem, at `path` if given, well formed, and return it."""
    text = await response.text()
    assert (response.status, response.content_type) == (status, PROBLEM), text
    problem: dict[str, Any] = await response.json(content_type=PROBLEM)
    assert problem["code"] == code, text
    assert problem["status"] == status
    assert path in (None, problem["path"]), text
    assert problem["type"] == f"/problems/{code.replace('_', '-')}"
    assert problem["title"]
    assert problem["detail"]
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert response.headers.get("Retry-After") == (
        None if problem["retry_after_s"] is None else str(problem["retry_after_s"])
    )
    return problem


class GatedStore(RedisStore):
    """A store whose reads and commits wait for gates, or fail."""

    game_gate: asyncio.Event
    log_gate: asyncio.Event
    unavailable = False
    arrivals = 0
    """Reads and commits of games that have come to the gate."""

    async def load(self, game: str, key: str | None = None) -> StoredGame | None:
        """Load the game once the gate is open."""
        await self._pass_gate()
        return await super().load(game, key)

    async def load_since(self, game: str, since: int) -> StoredGame | None:
        """Load the game with a revision once the gate is open."""
        await self._pass_gate()
        return await super().load_since(game, since)

    async def _pass_gate(self) -> None:
        self.arrivals += 1
        await self.game_gate.wait()
        if self.unavailable:
            raise StoreUnavailable("out of reach", 2)

    async def commit(self, commit: Change) -> CommitOutcome:
        """Commit once the gate is open."""
        self.arrivals += 1
        await self.game_gate.wait()
        return await super().commit(commit)

    async def load_diffs(self, game: str, since: int, limit: int) -> list[StoredDiff]:
        """Read the stream once its gate is open."""
        await self.log_gate.wait()
        return await super().load_diffs(game, since, limit)

"""Playing over HTTP in tests: a table made with one request, and what may be done at it."""

from random import Random
from typing import Any

from aiohttp import ClientResponse

from tests.web.app_server import Client

JSON = "application/json"
PROBLEM = "application/problem+json"

TWO = [{"name": "Ana"}, {"name": "Bo"}]


def bearer(token: str) -> dict[str, str]:
    """The header that shows a token."""
    return {"Authorization": f"Bearer {token}"}


class Table:
    """A game over HTTP, with all its tokens."""

    def __init__(self, client: Client, created: dict[str, Any]) -> None:
        self.client = client
        self.created = created
        self.id: str = created["game"]["id"]
        self.path = f"/v1/games/{self.id}"
        self.owner: str = created["owner_token"]
        self.spectator: str = created["spectator_token"]
        self.seats: dict[int, str] = {one["seat"]: one["token"] for one in created["seats"]}

    async def get(self, path: str = "", **headers: str) -> ClientResponse:
        """Something of the game, with the owner's token."""
        return await self.client.get(self.path + path, headers={**bearer(self.owner), **headers})

    async def json(self, path: str = "") -> Any:
        """The same, which is there."""
        response = await self.get(path)
        assert response.status == 200, await response.text()
        return await response.json()

    async def act(self, body: Any, token: str | None = None, query: str = "", **headers: str) -> ClientResponse:
        """Act, with the owner's token unless another is given."""
        sent = {**bearer(token or self.owner), **headers}
        return await self.client.post(f"{self.path}/actions{query}", json=body, headers=sent)

    async def moves(self) -> list[dict[str, Any]]:
        """The legal moves."""
        found: list[dict[str, Any]] = (await self.json("/legal-moves"))["moves"]
        return found

    async def do(self, body: Any = None) -> Any:
        """Act with success; without a body do the first legal move."""
        asked = {"move": (await self.moves())[0]["id"]} if body is None else body
        response = await self.act(asked)
        assert response.status == 200, await response.text()
        return await response.json()

    async def play(self, chance: Random, versions: int = 10_000) -> dict[str, Any]:
        """Play on by chance, to the end or until there are so many versions; gives GAME."""
        while True:
            legal = await self.json("/legal-moves")
            if not legal["moves"] or legal["version"] >= versions:
                game: dict[str, Any] = await self.json()
                return game
            await self.do({"move": chance.choice(legal["moves"])["id"]})


async def new_table(client: Client, players: Any = None, **asked: Any) -> Table:
    """A new game; of two people without open seats where `players` does not say otherwise."""
    response = await client.post("/v1/games", json={"players": players or TWO, **asked})
    assert response.status == 201, await response.text()
    return Table(client, await response.json())


async def refused(response: ClientResponse, status: int, code: str) -> dict[str, Any]:
    """The problem that was answered; it must be this one, whole and in its form."""
    text = await response.text()
    assert (response.status, response.content_type) == (status, PROBLEM), text
    problem: dict[str, Any] = await response.json(content_type=PROBLEM)
    assert problem["code"] == code, text
    assert problem["status"] == status
    assert problem["type"] == f"/problems/{code.replace('_', '-')}"
    assert problem["title"]
    assert problem["detail"]
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert response.headers.get("Retry-After") == (
        None if problem["retry_after_s"] is None else str(problem["retry_after_s"])
    )
    return problem

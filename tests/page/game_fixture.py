"""Games that are brought to a state through the API, and then opened on the page."""

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from tests.page.visitor import DESKTOP, Size, Visitor, Visitors
from tests.web.app_server import Client

Moves = list[dict[str, Any]]
Stop = Callable[[dict[str, Any], Moves], bool]
"""Whether a game with these legal moves is where it should be."""

SAVING = ("place_tile", "place_islander", "take_ship", "pass", "retrieve_islander", "deliver")
"""What somebody likes best to do who wants many wares."""
SPENDING = ("place_tile", "place_islander", "take_ship", "deliver", "pass", "retrieve_islander")
"""What somebody likes best to do who wants many ships."""
PASSING = ("place_tile", "take_ship", "pass", "place_islander", "retrieve_islander", "deliver")


class Prepared:
    """A game of people, one token for all of them."""

    def __init__(self, client: Client, seed: str, created: dict[str, Any]) -> None:
        self.client = client
        self.seed = seed
        self.id: str = created["game"]["id"]
        self.path = f"/v1/games/{self.id}"
        self.owner: str = created["owner_token"]
        self.tokens: dict[int, str] = {one["seat"]: one["token"] for one in created["seats"]}

    async def game(self) -> dict[str, Any]:
        """GAME."""
        async with self.client.get(self.path) as answer:
            game: dict[str, Any] = await answer.json()
            return game

    async def moves(self) -> Moves:
        """Return the legal moves."""
        async with self.client.get(f"{self.path}/legal-moves") as answer:
            moves: Moves = (await answer.json())["moves"]
            return moves

    async def post(self, what: str, body: dict[str, Any], token: str | None = None) -> None:
        """Change the game."""
        bearer = {"Authorization": f"Bearer {token or self.owner}"}
        async with self.client.post(f"{self.path}/{what}", json=body, headers=bearer) as answer:
            answer.raise_for_status()

    async def act(self, move: dict[str, Any]) -> None:
        """Do one of the legal moves."""
        await self.post("actions", {"move": move["id"]})

    async def play_until(self, wanted: Callable[[Moves], bool]) -> None:
        """Do what saves most, else anything, until the legal moves are as wanted; the same each time."""
        chance = Random(self.seed)
        while not wanted(moves := await self.moves()):
            chance.shuffle(moves)
            await self.act(min(moves, key=lambda move: SAVING.index(move["action"]["type"])))

    async def play(self, likes: Sequence[str], stop: Stop = lambda _game, _moves: False) -> dict[str, Any]:
        """Play by what is liked best, any of it, until `stop`, or the end; gives GAME."""
        chance = Random(7)
        while (game := await self.game())["status"] == "active":
            moves = await self.moves()
            if stop(game, moves):
                return game
            best = min(likes.index(kind) for kind in kinds_of(moves))
            chosen = chance.choice([move for move in moves if likes.index(move["action"]["type"]) == best])
            await self.act(chosen)
        return game

    async def opened_by(
        self, visitors: Visitors, *seats: int, size: Size = DESKTOP, touch: bool = False, dark: bool = False
    ) -> Visitor:
        """Open this game in the browser of a visitor who has these seats."""
        visitor = await visitors.come(size=size, touch=touch, dark=dark)
        stored = {"id": self.id, "owner": None, "spectator": None, "private": False, "opened": 0}
        tables = json.dumps([{**stored, "seats": {seat: self.tokens[seat] for seat in seats}}])
        await visitor.page.evaluate("tables => localStorage.setItem('south-seas.tables', tables)", tables)
        await visitor.page.goto(f"{visitors.url}#{self.id}")
        return visitor


async def prepared(
    visitors: Visitors, seed: str = "page", names: Sequence[str] = ("Ana", "Bo"), **more: Any
) -> Prepared:
    """Create a game of people."""
    requested = {"players": [{"name": name} for name in names], "seed": seed, "first_seat": 0, **more}
    async with visitors.client.post("/v1/games", json=requested) as answer:
        return Prepared(visitors.client, seed, await answer.json())


def deciding(game: dict[str, Any]) -> dict[str, Any]:
    """Return the player who must decide."""
    player: dict[str, Any] = game["players"][game["turn"]["decider"]]
    return player


def kinds_of(moves: Moves) -> set[str]:
    """Return the action types of moves."""
    return {move["action"]["type"] for move in moves}

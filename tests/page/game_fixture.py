"""Games that tests play over the API up to some state, and then open on the page."""

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Unpack

from tests.page.visitor import Visitor, VisitorOptions, Visitors
from tests.web.app_server import Client
from tests.web.http_game import HTTPGame

Moves = list[dict[str, Any]]
Stop = Callable[[Moves], bool]
"""Returns whether to stop where these moves are legal."""

KEEP_WARES = ("place_tile", "place_islander", "take_ship", "pass", "retrieve_islander", "deliver")
"""Preferences of a player who collects wares."""


class PreparedGame(HTTPGame):
    """A game of human players, whose moves its seed determines."""

    def __init__(self, client: Client, seed: str, created: dict[str, Any], *, is_private: bool) -> None:
        super().__init__(client, created)
        self.seed = seed
        self.is_private = is_private

    @property
    def link(self) -> str:
        """The path of the link to watch the game."""
        return f"games/{self.id}#spectator={self.spectator_token}"

    async def play_until(self, stop: Stop) -> None:
        """Play the same moves each time, by KEEP_WARES, until the legal moves meet the condition."""
        rng = Random(self.seed)
        moves = await self.legal_moves()
        while not stop(moves):
            rng.shuffle(moves)
            best = min(moves, key=lambda move: KEEP_WARES.index(move["action"]["type"]))
            response = await self.act({"move": best["id"]}, query="?include=legal_moves")
            moves = (await response.json())["legal_moves"]["moves"]

    async def open_for(self, visitors: Visitors, *seats: int, **options: Unpack[VisitorOptions]) -> Visitor:
        """Open this game in the browser of a visitor with these seats' tokens."""
        visitor = await visitors.open(**options)
        tokens = {seat: self.seat_tokens[seat] for seat in seats}
        stored: dict[str, Any] = {"id": self.id, "owner": None, "spectator": self.spectator_token, "seats": tokens}
        stored |= {"private": self.is_private, "opened": 0}
        await visitor.page.evaluate("game => localStorage.setItem('south-seas.tables', JSON.stringify([game]))", stored)
        await visitor.page.goto(f"{visitors.url}games/{self.id}")
        return visitor


async def prepare_game(
    visitors: Visitors, seed: str = "page", names: Sequence[str] = ("Ana", "Bo"), **more: Any
) -> PreparedGame:
    """Create a game of human players."""
    request = {"players": [{"name": name} for name in names], "seed": seed, "first_seat": 0, **more}
    is_private = more.get("visibility") == "private"
    async with visitors.client.post("/v1/games", json=request) as response:
        return PreparedGame(visitors.client, seed, await response.json(), is_private=is_private)


def offers(action_type: str, count: int = 1) -> Stop:
    """Return a condition: at least `count` legal moves of a type; for deliveries, for the same ship."""

    def condition(moves: Moves) -> bool:
        actions = [move["action"] for move in moves if move["action"]["type"] == action_type]
        counts = Counter(action["ship"] if action_type == "deliver" else action_type for action in actions)
        return max(counts.values(), default=0) >= count

    return condition


def decisions(count: int) -> Stop:
    """Return a condition: a tile is to be placed after so many decisions."""
    asked = 0

    def condition(moves: Moves) -> bool:
        nonlocal asked
        asked += 1
        return asked > count and offers("place_tile")(moves)

    return condition

"""Games that tests play over the API up to some state, and then open on the page."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Unpack

from tests.page.visitor import Visitor, VisitorOptions, Visitors
from tests.web.app_server import Client
from tests.web.http_game import HTTPGame

Moves = list[dict[str, Any]]
Stop = Callable[[dict[str, Any], Moves], bool]
"""Returns whether to stop at a game with these legal moves."""

KEEP_WARES = ("place_tile", "place_islander", "take_ship", "pass", "retrieve_islander", "deliver")
"""Preferences of a player who collects wares."""
BUY_SHIPS = ("place_tile", "place_islander", "take_ship", "deliver", "pass", "retrieve_islander")
"""Preferences of a player who collects ships."""
PASS_OFTEN = ("place_tile", "take_ship", "pass", "place_islander", "retrieve_islander", "deliver")


class PreparedGame(HTTPGame):
    """A game of human players, whose moves its seed determines."""

    def __init__(self, client: Client, seed: str, created: dict[str, Any]) -> None:
        super().__init__(client, created)
        self.seed = seed

    async def read(self) -> dict[str, Any]:
        """Return GAME."""
        game: dict[str, Any] = await self.get_json()
        return game

    async def post_successfully(self, path: str, body: Any, token: str | None = None) -> None:
        """POST to a path of the game, and check for success."""
        (await self.post(path, body, token)).raise_for_status()

    async def play_until(self, condition: Callable[[Moves], bool]) -> None:
        """Play the same moves each time, by KEEP_WARES, until the legal moves meet the condition."""
        rng = Random(self.seed)
        while not condition(moves := await self.legal_moves()):
            rng.shuffle(moves)
            best = min(moves, key=lambda move: KEEP_WARES.index(move["action"]["type"]))
            await self.act_successfully({"move": best["id"]})

    async def play(self, preferences: Sequence[str], stop: Stop = lambda _game, _moves: False) -> dict[str, Any]:
        """Play random moves of the most preferred type until `stop` or the end, and return GAME."""
        rng = Random(7)
        while (game := await self.read())["status"] == "active":
            moves = await self.legal_moves()
            if stop(game, moves):
                return game
            best = min(preferences.index(kind) for kind in action_types(moves))
            chosen = rng.choice([move for move in moves if preferences.index(move["action"]["type"]) == best])
            await self.act_successfully({"move": chosen["id"]})
        return game

    async def open_for(
        self, visitors: Visitors, *seats: int, owner: str | None = None, **options: Unpack[VisitorOptions]
    ) -> Visitor:
        """Open this game in the browser of a visitor with these seats' tokens, or with the owner's for all of them."""
        visitor = await visitors.open(**options)
        tokens = {seat: owner or self.seat_tokens[seat] for seat in seats}
        stored = {"id": self.id, "owner": owner, "spectator": None, "private": False, "opened": 0, "seats": tokens}
        await visitor.page.evaluate("game => localStorage.setItem('south-seas.tables', JSON.stringify([game]))", stored)
        await visitor.page.goto(f"{visitors.url}#{self.id}")
        return visitor


async def prepare_game(
    visitors: Visitors, seed: str = "page", names: Sequence[str] = ("Ana", "Bo"), **more: Any
) -> PreparedGame:
    """Create a game of human players."""
    request = {"players": [{"name": name} for name in names], "seed": seed, "first_seat": 0, **more}
    async with visitors.client.post("/v1/games", json=request) as response:
        return PreparedGame(visitors.client, seed, await response.json())


def decider_of(game: dict[str, Any]) -> dict[str, Any]:
    """Return the player who must decide."""
    player: dict[str, Any] = game["players"][game["turn"]["decider"]]
    return player


def action_types(moves: Moves) -> set[str]:
    """Return the action types of moves."""
    return {move["action"]["type"] for move in moves}

"""Small games on tile sets of a few tiles, with whole turns in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.reference.game import ReferenceGame
from tests.reference.pieces import Json
from tests.reference.tileset_builder import ship, tileset

if TYPE_CHECKING:
    from collections.abc import Sequence

OUT_OF_REACH = [ship(f"far-{number}", 2, bananas=99) for number in range(4)]
"""Ships that nobody can pay, so that no delivery is ever asked for."""


class Table:
    """A reference game whose first tile type is the start tile."""

    def __init__(
        self,
        tiles: Sequence[Json],
        bag: str,
        *,
        ships: Sequence[Json] = OUT_OF_REACH,
        players: int = 2,
        edition: str = "international",
        first_seat: int = 0,
    ) -> None:
        """Set up with the bag's tile names in drawing order and the ships in order."""
        self.game = ReferenceGame(
            tileset(tiles[0]["id"], tiles, ships),
            players=players,
            edition=edition,
            first_seat=first_seat,
            bag=bag.split(),
            ships=[one["id"] for one in ships],
        )

    def lay(self, x: int, y: int, rotation: int = 0, *, islander: int | None = None) -> list[Json]:
        """Place the drawn tile, then an islander on a segment or none, and return all events."""
        events = self.act("place_tile", x=x, y=y, rotation=rotation)
        if islander is not None:
            return events + self.act("place_islander", segment=islander)
        if self.phase == "islander":
            return events + self.act("pass", phase="islander")
        return events

    def act(self, kind: str, **fields: object) -> list[Json]:
        """Apply one action."""
        return self.game.apply({"type": kind, **fields})

    @property
    def phase(self) -> str | None:
        """The phase of the turn, None when the game is finished."""
        turn = self.game.view()["turn"]
        return None if turn is None else str(turn["phase"])

    def legal(self, kind: str) -> list[Json]:
        """List the legal actions of one type."""
        return [action for action in self.game.legal_actions() if action["type"] == kind]

    def segments(self) -> list[int]:
        """List the segments where an islander may be placed."""
        return [action["segment"] for action in self.legal("place_islander")]

    def wares(self, seat: int) -> tuple[int, int, int]:
        """Return a player's bananas, shells and fish."""
        cached = self.game.view()["players"][seat]["wares"]
        return cached["bananas"], cached["shells"], cached["fish"]

    def supply(self) -> list[int]:
        """Return how many islanders each player has at hand."""
        return [player["supply"] for player in self.game.view()["players"]]


def types(events: Sequence[Json]) -> list[str]:
    """Return the types of events in order."""
    return [event["type"] for event in events]


def only(events: Sequence[Json], kind: str) -> list[Json]:
    """Return the events of one type, without the type."""
    return [{key: value for key, value in event.items() if key != "type"} for event in events if event["type"] == kind]

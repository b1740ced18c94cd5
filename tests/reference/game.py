"""A whole game from set-up to final scoring, one decision at a time (R1, R2)."""

from tests.reference import evaluation, moves, views
from tests.reference.board import DISPLAY, WARES, Board, Json, Player, Ship, Spot, State, Tile, Turn
from tests.reference.evaluation import end_reason, finish


class ReferenceGame:
    """A game by brute force."""

    def __init__(
        self, tileset: Json, *, players: int, edition: str, first_seat: int, bag: list[str], ships: list[str]
    ) -> None:
        """Set up the game (R1) and start the first turn.

        `tileset` is the API's; `bag` holds tile ids in drawing order without the start tile, `ships` ship ids in
        order, of which the first 4 are the display. The events of the start are dropped.
        """
        tiles = {data["id"]: Tile.of(data) for data in tileset["tiles"]}
        self.state = State(
            edition=edition,
            tiles=tiles,
            ships={data["id"]: Ship.of(data) for data in tileset["ships"]},
            board=Board(tiles[tileset["start"]]),
            players=[Player() for _ in range(players)],
            bag=list(bag),
            display=list(ships[:DISPLAY]),
            pile=list(ships[DISPLAY:]),
        )
        self._start_turn(number=1, seat=first_seat)
        self.state.events = []

    def legal_actions(self) -> list[Json]:
        """List every legal action object; empty when the game is finished."""
        return moves.legal_actions(self.state)

    def view(self) -> Json:
        """Return the rule parts of GAME."""
        return views.game_view(self.state)

    def scores(self) -> Json:
        """Return `players` and `islanders` as in the API's scores (R8.3, R8.4)."""
        return views.scores_view(self.state)

    def apply(self, action: Json) -> list[Json]:
        """Apply a legal action and all automatic ones that follow, and return the events in order."""
        assert action in self.legal_actions(), action
        self.state.events = []
        self._play(action)
        while self._only_pass():
            self._play(self.legal_actions()[0])
        return self.state.events

    def _only_pass(self) -> bool:
        """Return whether passing is the only legal action, which is then automatic."""
        return [action["type"] for action in self.legal_actions()] == ["pass"]

    def _play(self, action: Json) -> None:
        match action["type"]:
            case "place_tile":
                self._place_tile(action)
            case "place_islander":
                self._place_islander(action)
            case "retrieve_islander":
                self._retrieve_islander(action)
            case "take_ship":
                self._take_ship(self.state.now.ships_owed.pop(0), action["ship"])
                self._award_ships()
            case "deliver":
                self._deliver(action)
            case "pass" if action["phase"] == "islander":
                self._evaluate()
            case _:
                self._end_turn()

    def _start_turn(self, number: int, seat: int) -> None:
        """Begin a turn with the first tile that can be placed; without one nobody gets a turn: the game ends (R3.5)."""
        state = self.state
        fits = [bool(state.board.placements(state.tiles[tile])) for tile in state.bag]
        rejected = state.bag[: fits.index(True)] if True in fits else [*state.bag]
        del state.bag[: len(rejected)]
        if state.bag:
            state.turn = Turn(number, seat, state.bag.pop(0))
            state.add_event("turn_started", {"number": number, "seat": seat})
        for tile in rejected:
            state.discarded.append(tile)
            state.add_event("tile_discarded", {"tile": tile})
        if len(fits) > len(rejected):
            state.add_event("tile_drawn", {"tile": state.now.tile})
        else:
            finish(state, "bag_exhausted")

    def _place_tile(self, action: Json) -> None:
        """Place the drawn tile (R3)."""
        turn = self.state.now
        x, y, rotation = action["x"], action["y"], action["rotation"]
        self.state.board.place(self.state.tiles[turn.tile], (x, y), rotation)
        self.state.add_event(
            "tile_placed", {"seat": turn.seat, "tile": turn.tile, "x": x, "y": y, "rotation": rotation}
        )
        turn.placed = (x, y)
        turn.phase = "islander"

    def _place_islander(self, action: Json) -> None:
        """Put an islander from the supply on the placed tile (R4.1)."""
        state, turn = self.state, self.state.now
        spot = Spot(*turn.placed_cell, action["segment"])
        state.board.placed[spot.cell].islanders[spot.segment] = turn.seat
        state.players[turn.seat].supply -= 1
        state.add_event("islander_placed", {"seat": turn.seat, **spot._asdict()})
        self._evaluate()

    def _retrieve_islander(self, action: Json) -> None:
        """Return one of the player's islanders to the supply, without an evaluation (R4.4)."""
        seat = self.state.now.seat
        spot = Spot(action["x"], action["y"], action["segment"])
        evaluation.return_to_supply(self.state, spot, seat)
        self.state.add_event("islander_retrieved", {"seat": seat, **spot._asdict()})
        self._evaluate()

    def _evaluate(self) -> None:
        """Evaluate features, then give the ships of completed markets (R5.10)."""
        evaluation.evaluate_placed_tile(self.state)
        self._award_ships()

    def _award_ships(self) -> None:
        """Award the owed ships until an owner has a choice, or until no ship remains (R5.10)."""
        turn = self.state.now
        while turn.ships_owed:
            best = moves.best_ships(self.state)
            if len(best) > 1:
                turn.phase = "take_ship"
                return
            seat = turn.ships_owed.pop(0)
            if best:
                self._take_ship(seat, best[0])
        turn.phase = "deliver"

    def _take_ship(self, seat: int, ship: str) -> None:
        """Give a market's owner a ship free of charge (R5.10)."""
        self._win_ship(seat, ship, by="market", paid=None)

    def _deliver(self, action: Json) -> None:
        """Pay the wares and take the ship (R6.2); the turn is over (R6.1)."""
        seat, paid = self.state.now.seat, action["wares"]
        for ware in WARES:
            self.state.players[seat].wares[ware] -= paid[ware]
        self._win_ship(seat, action["ship"], by="delivery", paid=dict(paid))
        self._end_turn()

    def _win_ship(self, seat: int, ship: str, *, by: str, paid: Json | None) -> None:
        """Move a ship from the display to a player and refill the display while the pile lasts (R6.4)."""
        state = self.state
        state.display.remove(ship)
        state.players[seat].ships.append(ship)
        points = state.ships[ship].points
        state.add_event("ship_taken", {"seat": seat, "ship": ship, "points": points, "by": by, "paid": paid})
        if state.pile:
            revealed = state.pile.pop(0)
            state.display.append(revealed)
            state.add_event("ship_revealed", {"ship": revealed})

    def _end_turn(self) -> None:
        """End the game (R7.1), or start the next turn clockwise (R1.6)."""
        state, turn = self.state, self.state.now
        reason = end_reason(state)
        if reason is None:
            self._start_turn(turn.number + 1, (turn.seat + 1) % len(state.players))
        else:
            finish(state, reason)

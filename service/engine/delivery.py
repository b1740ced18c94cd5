"""R6: delivering wares to a ship; R5.10: taking a ship for a market."""

from schemas.actions import Deliver, Pass, TakeShip
from schemas.events import AnyEvent, ShipRevealed, ShipTaken
from schemas.vocabulary import Wares
from service.engine.errors import IllegalMove
from service.engine.game import Game, Player
from service.engine.tileset_index import Payment, TileSetIndex


def legal_deliveries(index: TileSetIndex, game: Game) -> list[Deliver | Pass]:
    """Every ship with every payment that the player on turn can make (R6.2, R6.3), and pass (R6.1)."""
    player = game.players[game.seat]
    moves: list[Deliver | Pass] = [
        Deliver(index.ship_ids[ship], payment_wares(payment))
        for ship in game.display
        for payment in affordable_payments(index, player, ship)
    ]
    moves.append(Pass("deliver"))
    return moves


def has_delivery(index: TileSetIndex, game: Game) -> bool:
    """Whether the player on turn can pay for any ship of the display."""
    bananas, shells, fish = game.players[game.seat].wares
    total = bananas + shells + fish
    for ship in game.display:
        table = index.ships[ship]
        if table.total_wares <= total:
            for payment in table.payments:
                if payment[0] <= bananas and payment[1] <= shells and payment[2] <= fish:
                    return True
    return False


def affordable_payments(index: TileSetIndex, player: Player, ship: int) -> list[Payment]:
    """The payments for a ship (R6.3) that a player holds the wares for."""
    bananas, shells, fish = player.wares
    table = index.ships[ship]
    if bananas + shells + fish < table.total_wares:
        return []
    return [
        payment for payment in table.payments if payment[0] <= bananas and payment[1] <= shells and payment[2] <= fish
    ]


def deliver(index: TileSetIndex, game: Game, action: Deliver, events: list[AnyEvent]) -> Deliver:
    """Pay exactly and take the ship (R6.2); gives the action with its payment. Raises IllegalMove."""
    player = game.players[game.seat]
    ship = _displayed_ship(index, game, action.ship, "R6.1")
    payment = _choose_payment(index, player, ship, action)
    for ware in range(3):
        player.wares[ware] -= payment[ware]
    take_ship(index, game, game.seat, ship, events, paid=payment_wares(payment))
    return Deliver(action.ship, payment_wares(payment))


def legal_ship_choices(index: TileSetIndex, game: Game) -> list[TakeShip]:
    """The ships of the display with the most points, in the order of the display (R5.10)."""
    return [TakeShip(index.ship_ids[ship]) for ship in _most_valuable_ships(index, game)]


def take_chosen_ship(index: TileSetIndex, game: Game, action: TakeShip, events: list[AnyEvent]) -> None:
    """Take the ship that its new owner chose (R5.10). Raises IllegalMove."""
    ship = _displayed_ship(index, game, action.ship, "R5.10")
    if ship not in _most_valuable_ships(index, game):
        most = max(index.ships[other].points for other in game.display)
        raise IllegalMove("R5.10", f"{action.ship} has {index.ships[ship].points} points, the best ship has {most}")
    take_ship(index, game, game.ships_owed.pop(0), ship, events, paid=None)


def take_owed_ships(index: TileSetIndex, game: Game, events: list[AnyEvent]) -> bool:
    """Hand out owed ships until somebody has a choice; gives whether all is handed out (R5.10)."""
    while game.ships_owed:
        best = _most_valuable_ships(index, game)
        if len(best) > 1:
            return False
        seat = game.ships_owed.pop(0)
        if best:
            take_ship(index, game, seat, best[0], events, paid=None)
    return True


def take_ship(
    index: TileSetIndex, game: Game, seat: int, ship: int, events: list[AnyEvent], *, paid: Wares | None
) -> None:
    """Move a ship from the display to a player and refill the display (R6.4)."""
    game.display.remove(ship)
    game.players[seat].ships.append(ship)
    events.append(
        ShipTaken(
            seat=seat,
            ship=index.ship_ids[ship],
            points=index.ships[ship].points,
            by="delivery" if paid else "market",
            paid=paid,
        )
    )
    if game.ship_pile:
        game.display.append(game.ship_pile.pop())
        events.append(ShipRevealed(ship=index.ship_ids[game.display[-1]]))


def payment_wares(payment: Payment) -> Wares:
    """A payment as the contract writes it."""
    return Wares(bananas=payment[0], shells=payment[1], fish=payment[2])


def _most_valuable_ships(index: TileSetIndex, game: Game) -> list[int]:
    most = max((index.ships[ship].points for ship in game.display), default=0)
    return [ship for ship in game.display if index.ships[ship].points == most]


def _displayed_ship(index: TileSetIndex, game: Game, name: str, rule: str) -> int:
    ship = index.ship_numbers.get(name)
    if ship is None or ship not in game.display:
        raise IllegalMove(rule, f"no ship {name} lies face up")
    return ship


def _choose_payment(index: TileSetIndex, player: Player, ship: int, action: Deliver) -> Payment:
    """The payment that is meant (R6.5)."""
    possible = affordable_payments(index, player, ship)
    if not possible:
        raise IllegalMove("R6.2", f"the wares for {action.ship} are not there")
    if action.wares is None:
        if len(possible) > 1:
            raise IllegalMove("R6.5", f"{len(possible)} payments are possible for {action.ship}: name the wares")
        return possible[0]
    payment = (action.wares.bananas, action.wares.shells, action.wares.fish)
    if payment in possible:
        return payment
    if payment in index.ships[ship].payments:
        raise IllegalMove("R6.2", f"the wares named for {action.ship} are not there")
    raise IllegalMove("R6.3", f"{action.ship} does not ask for these wares")

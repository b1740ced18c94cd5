"""R6: delivering wares to a ship; R5.10: taking a ship for a market."""

from schemas.actions import Deliver, Pass, TakeShip
from schemas.events import AnyEvent, ShipRevealed, ShipTaken
from schemas.vocabulary import Wares
from service.engine.errors import IllegalMove
from service.engine.game import Game, Player
from service.engine.tileset_index import Payment, Tables


def legal_deliveries(tables: Tables, game: Game) -> list[Deliver | Pass]:
    """Every ship with every payment that the player on turn can make (R6.2, R6.3), and pass (R6.1)."""
    player = game.players[game.seat]
    moves: list[Deliver | Pass] = [
        Deliver(tables.ship_ids[ship], to_wares(payment))
        for ship in game.display
        for payment in affordable(tables, player, ship)
    ]
    moves.append(Pass("deliver"))
    return moves


def has_delivery(tables: Tables, game: Game) -> bool:
    """Whether the player on turn can pay for any ship of the display."""
    bananas, shells, fish = game.players[game.seat].wares
    total = bananas + shells + fish
    for ship in game.display:
        table = tables.ships[ship]
        if table.total <= total:
            for payment in table.payments:
                if payment[0] <= bananas and payment[1] <= shells and payment[2] <= fish:
                    return True
    return False


def affordable(tables: Tables, player: Player, ship: int) -> list[Payment]:
    """The payments for a ship (R6.3) that a player holds the wares for."""
    bananas, shells, fish = player.wares
    table = tables.ships[ship]
    if bananas + shells + fish < table.total:
        return []
    return [
        payment for payment in table.payments if payment[0] <= bananas and payment[1] <= shells and payment[2] <= fish
    ]


def deliver(tables: Tables, game: Game, action: Deliver, events: list[AnyEvent]) -> Deliver:
    """Pay exactly and take the ship (R6.2); gives the action with its payment. Raises IllegalMove."""
    player = game.players[game.seat]
    ship = _displayed(tables, game, action.ship, "R6.1")
    payment = _payment(tables, player, ship, action)
    for ware in range(3):
        player.wares[ware] -= payment[ware]
    take(tables, game, game.seat, ship, events, paid=to_wares(payment))
    return Deliver(action.ship, to_wares(payment))


def legal_ship_choices(tables: Tables, game: Game) -> list[TakeShip]:
    """The ships of the display with the most points, in the order of the display (R5.10)."""
    return [TakeShip(tables.ship_ids[ship]) for ship in _best(tables, game)]


def take_chosen(tables: Tables, game: Game, action: TakeShip, events: list[AnyEvent]) -> None:
    """Take the ship that its new owner chose (R5.10). Raises IllegalMove."""
    ship = _displayed(tables, game, action.ship, "R5.10")
    if ship not in _best(tables, game):
        most = max(tables.ships[other].points for other in game.display)
        raise IllegalMove("R5.10", f"{action.ship} has {tables.ships[ship].points} points, the best ship has {most}")
    take(tables, game, game.owed.pop(0), ship, events, paid=None)


def take_owed(tables: Tables, game: Game, events: list[AnyEvent]) -> bool:
    """Hand out owed ships until somebody has a choice; gives whether all is handed out (R5.10)."""
    while game.owed:
        best = _best(tables, game)
        if len(best) > 1:
            return False
        seat = game.owed.pop(0)
        if best:
            take(tables, game, seat, best[0], events, paid=None)
    return True


def take(tables: Tables, game: Game, seat: int, ship: int, events: list[AnyEvent], *, paid: Wares | None) -> None:
    """Move a ship from the display to a player and refill the display (R6.4)."""
    game.display.remove(ship)
    game.players[seat].ships.append(ship)
    events.append(
        ShipTaken(
            seat=seat,
            ship=tables.ship_ids[ship],
            points=tables.ships[ship].points,
            by="delivery" if paid else "market",
            paid=paid,
        )
    )
    if game.pile:
        game.display.append(game.pile.pop())
        events.append(ShipRevealed(ship=tables.ship_ids[game.display[-1]]))


def to_wares(payment: Payment) -> Wares:
    """A payment as the contract writes it."""
    return Wares(bananas=payment[0], shells=payment[1], fish=payment[2])


def _best(tables: Tables, game: Game) -> list[int]:
    most = max((tables.ships[ship].points for ship in game.display), default=0)
    return [ship for ship in game.display if tables.ships[ship].points == most]


def _displayed(tables: Tables, game: Game, name: str, rule: str) -> int:
    ship = tables.ship_index.get(name)
    if ship is None or ship not in game.display:
        raise IllegalMove(rule, f"no ship {name} lies face up")
    return ship


def _payment(tables: Tables, player: Player, ship: int, action: Deliver) -> Payment:
    """The payment that is meant (R6.5)."""
    possible = affordable(tables, player, ship)
    if not possible:
        raise IllegalMove("R6.2", f"the wares for {action.ship} are not there")
    if action.wares is None:
        if len(possible) > 1:
            raise IllegalMove("R6.5", f"{len(possible)} payments are possible for {action.ship}: name the wares")
        return possible[0]
    payment = (action.wares.bananas, action.wares.shells, action.wares.fish)
    if payment in possible:
        return payment
    if payment in tables.ships[ship].payments:
        raise IllegalMove("R6.2", f"the wares named for {action.ship} are not there")
    raise IllegalMove("R6.3", f"{action.ship} does not ask for these wares")

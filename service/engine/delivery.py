"""R6: deliveries to ships; R5.10: ships that completed markets award."""

from schemas.actions import Deliver, Pass, TakeShip
from schemas.commands import MissingWares
from schemas.events import AnyEvent, ShipRevealed, ShipTaken
from schemas.vocabulary import Wares
from service.engine.game import Game, Player
from service.engine.segments import IllegalMove
from service.engine.tileset_index import Payment, TileSetIndex


def legal_deliveries(index: TileSetIndex, game: Game) -> list[Deliver | Pass]:
    """Return every ship with every payment that the active player can make (R6.2, R6.3), and pass (R6.1)."""
    player = game.players[game.seat]
    moves: list[Deliver | Pass] = [
        Deliver(index.ship_ids[ship], payment_wares(payment))
        for ship in game.display
        for payment in affordable_payments(index, player, ship)
    ]
    moves.append(Pass("deliver"))
    return moves


def has_delivery(index: TileSetIndex, game: Game) -> bool:
    """Return whether the active player can pay for any ship in the display."""
    bananas, shells, fish = game.players[game.seat].wares
    total = bananas + shells + fish
    for ship in game.display:
        data = index.ships[ship]
        if data.total_wares <= total:
            for payment in data.payments:
                if payment[0] <= bananas and payment[1] <= shells and payment[2] <= fish:
                    return True
    return False


def affordable_payments(index: TileSetIndex, player: Player, ship: int) -> list[Payment]:
    """Return the payments for a ship (R6.3) that a player has the wares for."""
    bananas, shells, fish = player.wares
    data = index.ships[ship]
    if bananas + shells + fish < data.total_wares:
        return []
    return [
        payment for payment in data.payments if payment[0] <= bananas and payment[1] <= shells and payment[2] <= fish
    ]


def missing_wares(index: TileSetIndex, player: Player, ship: int) -> MissingWares:
    """Return the fewest wares that a player lacks for a ship (R6.3)."""
    held = player.wares
    gaps = [
        (max(payment[0] - held[0], 0), max(payment[1] - held[1], 0), max(payment[2] - held[2], 0))
        for payment in index.ships[ship].payments
    ]
    fewest = min(sum(gap) for gap in gaps)
    bananas, shells, fish = (min(gap[ware] for gap in gaps if sum(gap) == fewest) for ware in range(3))
    return MissingWares(bananas=bananas, shells=shells, fish=fish, other=fewest - bananas - shells - fish)


def deliver(index: TileSetIndex, game: Game, action: Deliver, events: list[AnyEvent]) -> Deliver:
    """Pay for a ship and take it (R6.2); return the action with its payment filled in. Raises IllegalMove."""
    player = game.players[game.seat]
    ship = _displayed_ship(index, game, action.ship, "R6.1")
    payment = _choose_payment(index, player, ship, action)
    for ware in range(3):
        player.wares[ware] -= payment[ware]
    take_ship(index, game, game.seat, ship, events, paid=payment_wares(payment))
    return Deliver(action.ship, payment_wares(payment))


def legal_ship_choices(index: TileSetIndex, game: Game) -> list[TakeShip]:
    """Return the ships in the display with the most points, in display order (R5.10)."""
    return [TakeShip(index.ship_ids[ship]) for ship in _most_valuable_ships(index, game)]


def take_chosen_ship(index: TileSetIndex, game: Game, action: TakeShip, events: list[AnyEvent]) -> None:
    """Take the ship that the owner of a completed market chose (R5.10). Raises IllegalMove."""
    ship = _displayed_ship(index, game, action.ship, "R5.10")
    if ship not in _most_valuable_ships(index, game):
        most = max(index.ships[other].points for other in game.display)
        points = index.ships[ship].points
        raise IllegalMove(
            "R5.10", "{ship} has {points} points, the best ship has {most}", ship=action.ship, points=points, most=most
        )
    take_ship(index, game, game.ships_owed.pop(0), ship, events, paid=None)


def take_owed_ships(index: TileSetIndex, game: Game, events: list[AnyEvent]) -> bool:
    """Award owed ships until a player has a choice; return whether every ship is awarded (R5.10)."""
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
    """Return a payment as the API's `Wares`."""
    return Wares(bananas=payment[0], shells=payment[1], fish=payment[2])


def _most_valuable_ships(index: TileSetIndex, game: Game) -> list[int]:
    most = max((index.ships[ship].points for ship in game.display), default=0)
    return [ship for ship in game.display if index.ships[ship].points == most]


def _displayed_ship(index: TileSetIndex, game: Game, name: str, rule: str) -> int:
    ship = index.ship_numbers.get(name)
    if ship is None or ship not in game.display:
        raise IllegalMove(rule, "{ship} is not in the display", ship=name)
    return ship


def _choose_payment(index: TileSetIndex, player: Player, ship: int, action: Deliver) -> Payment:
    """Return the payment that an action means: the named one, or the only possible one (R6.5)."""
    possible = affordable_payments(index, player, ship)
    if not possible:
        raise IllegalMove("R6.2", "the player does not have the wares for {ship}", ship=action.ship)
    if action.wares is None:
        if len(possible) > 1:
            number = len(possible)
            raise IllegalMove(
                "R6.5", "{number} payments are possible for {ship}: name the wares", number=number, ship=action.ship
            )
        return possible[0]
    payment = (action.wares.bananas, action.wares.shells, action.wares.fish)
    if payment in possible:
        return payment
    if payment in index.ships[ship].payments:
        raise IllegalMove("R6.2", "the player does not have these wares for {ship}", ship=action.ship)
    raise IllegalMove("R6.3", "{ship} does not cost these wares", ship=action.ship)

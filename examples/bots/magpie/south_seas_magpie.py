"""The bot `magpie`: it takes what glitters now."""

from service.games.bots.interface import Action, Bot, GameState, SeededRNG


class Magpie:
    """Plays its turn through in every way, compares what everybody has after it, and looks no further."""

    name = "magpie"
    version = "1"
    description = "Takes what glitters now, and looks no further."
    heavy = True

    def choose(self, position: GameState, chance: SeededRNG) -> Action:
        """The move after which it is furthest ahead; `chance` decides among equals."""
        best: list[Action] = []
        most = float("-inf")
        for move in position.legal_moves():
            lead = reached(position.after(move), position.seat, position.game.turn_number)
            if lead > most:
                best, most = [], lead
            if lead == most:
                best.append(move)
        return best[chance.below(len(best))]


def reached(position: GameState, seat: int, turn: int) -> float:
    """The best lead that a seat can have when its turn is over."""
    if position.game.turn_number != turn or position.game.status != "active" or position.seat != seat:
        return lead_of(seat, position)
    return max(reached(position.after(move), seat, turn) for move in position.legal_moves())


def lead_of(seat: int, position: GameState) -> float:
    """How far a seat is ahead of the best other: points of ships, half a point for a ware, one for an islander."""
    worths = [
        player.points + (player.wares.bananas + player.wares.shells + player.wares.fish) / 2 + player.supply
        for player in position.view().players
    ]
    return worths.pop(seat) - max(worths)


BOT: Bot = Magpie()

"""The bot `magpie`: it takes what glitters now."""

from service.games.bots.interface import Action, Bot, GameState, SeededRNG


class Magpie:
    """A bot that plays its turn in every possible way, and takes the one that leaves it furthest ahead."""

    name = "magpie"
    version = "1"
    description = "Takes what glitters now, and looks no further."
    heavy = True

    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        """Return the move after which it is furthest ahead; `rng` breaks ties."""
        best: list[Action] = []
        most = float("-inf")
        for move in state.legal_moves():
            lead = reached(state.after(move), state.seat, state.game.turn_number)
            if lead > most:
                best, most = [], lead
            if lead == most:
                best.append(move)
        return best[rng.below(len(best))]


def reached(state: GameState, seat: int, turn: int) -> float:
    """Return the best lead that a seat can have when its turn is over."""
    if state.game.turn_number != turn or state.game.status != "active" or state.seat != seat:
        return lead_of(seat, state)
    return max(reached(state.after(move), seat, turn) for move in state.legal_moves())


def lead_of(seat: int, state: GameState) -> float:
    """Return a seat's lead over the best other: ship points, half a point a ware, one an islander in supply."""
    worths = [
        player.points + (player.wares.bananas + player.wares.shells + player.wares.fish) / 2 + player.supply
        for player in state.view().players
    ]
    return worths.pop(seat) - max(worths)


BOT: Bot = Magpie()

"""How long a picture takes: `python -m benchmarks.pictures`, a whole board as the service draws it, on one core."""

from collections.abc import Callable
from functools import partial
from random import Random
from statistics import median
from time import process_time

from benchmarks.sample import archipelago, new_game
from schemas.actions import PlaceTile
from service.engine import Game, Tables, apply, is_finished, legal_moves, view
from service.web.gallery.jobs import BoardJob, Form, draw
from service.web.pictures.land import land, layers
from service.web.pictures.plan import plan
from service.web.pictures.scene import Options

ROUNDS = 15
WIDTHS = (400, 1200, 2000)


def whole_game(tables: Tables, seed: str) -> Game:
    """A finished game of five; a tile is placed beside as many others as a person would."""
    game, chance = new_game(tables, seed, 5), Random(seed)
    while not is_finished(game):
        moves = legal_moves(tables, game)
        if isinstance(moves[0], PlaceTile):
            apply(tables, game, chance.choice(moves))
        else:
            apply(tables, game, moves[0])
    return game


def milliseconds(work: Callable[[], object]) -> list[float]:
    """The processor time of each of some rounds, in ms, ascending."""
    times = []
    for _ in range(ROUNDS):
        begin = process_time()
        work()
        times.append((process_time() - begin) * 1000)
    return sorted(times)


def main() -> None:
    """Print the table."""
    loaded = archipelago()
    game = view(loaded.tables, whole_game(loaded.tables, "pictures"))
    print(f"{len(game.board)} tiles, processor time in ms: best and median of {ROUNDS}; size")
    for cached in (plan, land, layers):
        cached.cache_clear()
    begin = process_time()
    draw(BoardJob(loaded.answer, game, [], Options(), "svg"))
    print(f"{'first SVG, every tile new':28}{(process_time() - begin) * 1000:8.0f}")
    for form, width, side in (("svg", 1200, False), *(("png", width, False) for width in WIDTHS), ("png", 1200, True)):
        job = BoardJob(loaded.answer, game, [], Options(width=width, side=side, last=True), _form(form))
        times = milliseconds(partial(draw, job))
        name = f"{form} {width} px{' with side' if side else ''}"
        print(f"{name:28}{times[0]:8.0f}{median(times):8.0f}{len(draw(job)) // 1024:8} KB")


def _form(form: str) -> Form:
    return "png" if form == "png" else "svg"


if __name__ == "__main__":
    main()

"""`python -m benchmarks.pictures`: the time to draw a whole board as the service does, on one core."""

from random import Random
from statistics import median
from time import process_time

from benchmarks.sample_games import lagoon, new_game
from schemas.actions import PlaceTile
from service.drawing.scene import BoardOptions
from service.engine import Game, TileSetIndex, apply_action, build_view, is_finished, legal_moves
from service.web.renderer import DrawingJob, board_job, draw_job

ROUNDS = 15
WIDTHS = (400, 1200, 2000)


def whole_game(index: TileSetIndex, seed: str) -> Game:
    """Play a game of five with random tile placements."""
    game, rng = new_game(index, seed, 5), Random(seed)
    while not is_finished(game):
        moves = legal_moves(index, game)
        apply_action(index, game, rng.choice(moves) if isinstance(moves[0], PlaceTile) else moves[0])
    return game


def milliseconds(job: DrawingJob) -> float:
    """Return the processor time of one drawing, in ms."""
    started_at = process_time()
    draw_job(job)
    return (process_time() - started_at) * 1000


def main() -> None:
    """Print the table."""
    loaded = lagoon()
    game = build_view(loaded.index, whole_game(loaded.index, "pictures"))
    svg = board_job(loaded.response, game, [], BoardOptions(), "svg")
    print(f"{len(game.board)} tiles; processor time, median of {ROUNDS}; the first one: {milliseconds(svg):.0f} ms")
    pngs = (board_job(loaded.response, game, [], BoardOptions(width=width), "png") for width in WIDTHS)
    for title, job in zip(("SVG", *(f"PNG {width} px" for width in WIDTHS)), (svg, *pngs), strict=True):
        time = median(milliseconds(job) for _ in range(ROUNDS))
        print(f"{title:12}{time:8.0f} ms{len(draw_job(job)) // 1024:8} KB")


if __name__ == "__main__":
    main()

"""What a client asks without moving: the processor time to make an answer, and its size, of a game with many tiles."""

from collections.abc import Callable
from functools import partial
from time import process_time

from benchmarks.results import Figure
from benchmarks.run import Run
from benchmarks.sample_games import games_at, lagoon
from schemas.base import encode_json
from schemas.commands import LegalMovesQuery
from service.engine import Game, legal_moves
from service.games.legal_moves import list_legal_moves
from service.games.queries import compute_scores, list_features
from service.i18n import ENGLISH

GROUP = "Asking without moving"
TILES, GAMES = 60, 40
ROUND_S = 0.5


async def answers(run: Run) -> None:
    """Measure each answer for the game that has the most legal moves of many."""
    index = lagoon().index
    game: Game = max(games_at(index, TILES, GAMES), key=lambda one: len(legal_moves(index, one)))
    questions: dict[str, tuple[str, Callable[[], object]]] = {
        "moves": ("legal moves", partial(list_legal_moves, index, game)),
        "effects": ("the same with `effects=1`", partial(list_legal_moves, index, game, LegalMovesQuery(effects=True))),
        "features": ("features", partial(list_features, index, game, ENGLISH, None, None)),
        "scores": ("scores", partial(compute_scores, index, game)),
    }
    measurements = [partial(_measure, run.seconds(ROUND_S), answer) for _, answer in questions.values()]
    rounds = await run.measure_in_turn("answers", *measurements)
    note = f"of {GAMES} games with {TILES} tiles, that with the most legal moves: {len(legal_moves(index, game))}"
    for (name, (title, answer)), times in zip(questions.items(), rounds, strict=True):
        sized = f"{title}, {len(encode_json(answer())) / 1000:,.0f} KB"
        run.figures.append(Figure(f"answers.{name}", GROUP, sized, "µs", times, better="less", note=note))
        note = ""


async def _measure(seconds: float, answer: Callable[[], object], _: int) -> float:
    """Return the microseconds to make an answer and encode it."""
    started_at, calls = process_time(), 0
    while (passed := process_time() - started_at) < seconds:
        encode_json(answer())
        calls += 1
    return passed / calls * 1e6

"""The short form: always the same requests, but for what the service itself chooses."""

from pathlib import Path

from tests.fuzz.figures import Effort, Figures
from tests.fuzz.http import fuzz_other_games, fuzz_played_game, fuzz_sequences
from tests.fuzz.subject import Subject

SHORT = Effort(examples=2, seed=None)

PHASES = "coverage"
"""What the document's limits suggest, and what is just beyond them; by chance only in the long form."""


def test_each_operation_of_a_played_game(fuzzed: Subject, tmp_path: Path) -> None:
    fuzz_played_game(fuzzed, tmp_path, SHORT, Figures(), PHASES)


def test_what_is_asked_of_other_games(fuzzed: Subject, tmp_path: Path) -> None:
    fuzz_other_games(fuzzed, tmp_path, SHORT, Figures(), PHASES)


def test_sequences_along_the_links(fuzzed: Subject, tmp_path: Path) -> None:
    figures = Figures()
    fuzz_sequences(fuzzed, tmp_path, SHORT, figures)
    assert figures["http POST /v1/games 201"] > 0

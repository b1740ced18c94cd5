"""The short form."""

from tests.fuzz.figures import Effort, Figures
from tests.fuzz.snapshots import fuzz
from tests.fuzz.subject import Subject


def test_games_that_can_be_played_and_games_that_were_damaged(fuzzed: Subject) -> None:
    fuzz(fuzzed, Effort(examples=8, seed=None), Figures())

"""The short form."""

from tests.fuzz.figures import Effort, Figures
from tests.fuzz.queries import fuzz
from tests.fuzz.subject import Subject


def test_names_languages_and_queries(fuzzed: Subject) -> None:
    fuzz(fuzzed, Effort(examples=30, seed=None), Figures())

"""The short form."""

from tests.fuzz.figures import Effort, Figures
from tests.fuzz.sockets import fuzz
from tests.fuzz.subject import Subject


def test_any_messages_and_any_bytes(fuzzed: Subject) -> None:
    figures = Figures()
    fuzz(fuzzed, Effort(examples=15, seed=None), figures)
    assert figures["socket messages"] > 0

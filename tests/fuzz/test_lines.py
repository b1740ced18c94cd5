"""The short form, and every ambiguous request by itself."""

import pytest

from tests.fuzz.figures import Effort, Figures
from tests.fuzz.lines import check_ambiguous, fuzz
from tests.fuzz.requests import AMBIGUOUS
from tests.fuzz.subject import Subject


@pytest.mark.parametrize("request_bytes", AMBIGUOUS)
def test_what_may_be_read_in_two_ways_is_refused(fuzzed: Subject, request_bytes: bytes) -> None:
    check_ambiguous(fuzzed, request_bytes)


def test_requests_of_every_kind(fuzzed: Subject) -> None:
    fuzz(fuzzed, Effort(examples=150, seed=None), Figures())

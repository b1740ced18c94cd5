"""One instance for all short forms of a run, on a Redis of its own, which nobody empties."""

from collections.abc import Iterator

import pytest

from tests.fuzz.subject import Subject, start_subject


@pytest.fixture(scope="session")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Subject]:
    """Start an instance."""
    with start_subject(tmp_path_factory.mktemp("data")) as one:
        yield one

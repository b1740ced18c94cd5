"""One instance for all short runs, with its own Redis."""

from collections.abc import Iterator

import pytest

from verification.fuzz.target import Target, start_target


@pytest.fixture(scope="session")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """Start an instance."""
    with start_target(tmp_path_factory.mktemp("data")) as target:
        yield target

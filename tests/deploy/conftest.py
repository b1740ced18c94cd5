"""Each overlay in turn."""

import pytest

from tests.deploy.manifests import OVERLAYS


@pytest.fixture(params=OVERLAYS)
def overlay(request: pytest.FixtureRequest) -> str:
    """Return the name of an overlay; a test that is about some of them only has parameters of its own."""
    name: str = request.param
    return name

"""Instances of the service with the default limits, as in `tests/web`."""

from tests.web.conftest import client, elsewhere

__all__ = ["client", "elsewhere"]

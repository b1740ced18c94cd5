"""Instances of the service with the default limits, as in `tests/web`."""

from tests.web.conftest import client, elsewhere, short_linger

__all__ = ["client", "elsewhere", "short_linger"]

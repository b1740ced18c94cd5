"""An instance of the service with the default limits, as in `tests/web`."""

from tests.web.conftest import client

__all__ = ["client"]

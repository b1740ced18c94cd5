"""An instance of the service, as in `tests/web`."""

from tests.web.conftest import client

__all__ = ["client"]

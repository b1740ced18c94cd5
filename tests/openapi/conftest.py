"""An instance of the service and a game, as in `tests/web`."""

from tests.web.conftest import client, http_game

__all__ = ["client", "http_game"]

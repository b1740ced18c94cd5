"""Progress and failures of long-running commands, on the error stream."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import click
import msgspec

from service.games.archive.document import InvalidDocument
from service.games.errors import TileSetMissing
from service.games.ports.game_store import StoreUnavailable, UnreadableGame
from service.telemetry.logs import escape_unprintable

__all__ = ["Progress", "report_failure"]

REPORT_INTERVAL_S = 2.0


class Progress:
    """Prints the number of finished games every few seconds."""

    def __init__(self, verb: str) -> None:
        self._verb = verb
        self._started_at = self._reported_at = time.monotonic()

    def report(self, games: int) -> None:
        """Print how many games are finished, unless that was printed a moment ago."""
        now = time.monotonic()
        if now >= self._reported_at + REPORT_INTERVAL_S:
            self._reported_at = now
            rate = games / (now - self._started_at)
            click.echo(f"{self._verb} {games} games so far, {rate:.0f} per second", err=True)


@contextmanager
def report_failure(subject: str) -> Iterator[None]:
    """Print the failure of a `with` block and suppress it, so that other games are not affected.

    Raises StoreUnavailable.
    """
    try:
        yield
    except TileSetMissing as error:
        reason = f"{error}: name the directory of its tile set with --tilesets-dir"
    except (InvalidDocument, UnreadableGame, msgspec.DecodeError) as error:
        reason = str(error)
    except StoreUnavailable:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
    except Exception as error:  # noqa: BLE001  a damaged game may raise anything, and must not stop the others
        reason = f"{type(error).__name__}: {error}"
    else:
        return
    click.echo(escape_unprintable(f"{subject}: {reason}"), err=True)

"""What a command that takes long says meanwhile, on the error stream."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import click
import msgspec

from service.escaping import escape_unprintable
from service.games.archive.document import InvalidDocument
from service.games.errors import TileSetMissing
from service.games.ports import StoreUnavailable, UnreadableGame

__all__ = ["Progress", "report_failure"]

REPORT_INTERVAL_S = 2.0


class Progress:
    """Counts games, and says every few seconds how many."""

    def __init__(self, what: str) -> None:
        self._what = what
        self.games = 0
        self._started_at = self._reported_at = time.monotonic()

    def count(self, games: int = 1) -> None:
        """So many more are done."""
        self.games += games
        now = time.monotonic()
        if now >= self._reported_at + REPORT_INTERVAL_S:
            self._reported_at = now
            a_second = self.games / (now - self._started_at)
            click.echo(f"{self._what} {self.games} games so far, {a_second:.0f} a second", err=True)


@contextmanager
def report_failure(about: str) -> Iterator[None]:
    """Within a `with`, let work on one game fail: say why, and go on after it. Raises StoreUnavailable."""
    try:
        yield
    except TileSetMissing as missing:
        _print_failure(about, f"{missing}: name the directory of its tile set with --tilesets-dir")
    except (InvalidDocument, UnreadableGame, msgspec.DecodeError) as bad:
        _print_failure(about, bad)
    except StoreUnavailable:
        raise
    except OSError as error:
        _print_failure(about, error.strerror or error)
    except Exception as error:  # noqa: BLE001  one game must not keep all others from being exported or imported
        _print_failure(about, f"{type(error).__name__}: {error}")


def _print_failure(about: str, reason: object) -> None:
    """Say what could not be done, and why."""
    click.echo(escape_unprintable(f"{about}: {reason}"), err=True)

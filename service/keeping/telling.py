"""What a command that takes long says meanwhile, on the error stream."""

import time

import click

from service.plain_text import printable

__all__ = ["Progress", "complain"]

_EVERY_S = 2.0


class Progress:
    """Counts games, and says every few seconds how many."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._games = 0
        self._began = self._told = time.monotonic()

    def count(self, games: int = 1) -> None:
        """So many more are done."""
        self._games += games
        now = time.monotonic()
        if now >= self._told + _EVERY_S:
            self._told = now
            a_second = self._games / (now - self._began)
            click.echo(f"{self._what} {self._games} games so far, {a_second:.0f} a second", err=True)


def complain(about: str, reason: object) -> None:
    """Say what could not be done, and why."""
    click.echo(printable(f"{about}: {reason}"), err=True)

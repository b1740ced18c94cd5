"""What the bot keeps, in one small SQLite file: which game is played in which channel, and who holds which seat.

A seat's token is a secret that acts for its player, so the file is readable by its owner alone. All else is asked of
the service, which is the only one to know how a game stands.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from examples.discord_bot.phrases import Language, language_of

SCHEMA = """
CREATE TABLE IF NOT EXISTS tables (
    game TEXT PRIMARY KEY,
    channel INTEGER NOT NULL,
    owner_token TEXT NOT NULL,
    spectator_token TEXT NOT NULL,
    announced TEXT NOT NULL DEFAULT '',
    over INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS seats (
    game TEXT NOT NULL REFERENCES tables (game),
    seat INTEGER NOT NULL,
    user INTEGER NOT NULL,
    token TEXT NOT NULL,
    PRIMARY KEY (game, seat)
);
CREATE INDEX IF NOT EXISTS seats_by_user ON seats (user);
CREATE TABLE IF NOT EXISTS users (user INTEGER PRIMARY KEY, locale TEXT NOT NULL);
"""


class Table(NamedTuple):
    """A game that is played in a channel."""

    game: str
    channel: int
    owner_token: str
    spectator_token: str


class Seat(NamedTuple):
    """A seat and its player."""

    game: str
    seat: int
    user: int
    token: str


class Ledger:
    """The file; made where it is not there."""

    def __init__(self, path: Path) -> None:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        self._file = sqlite3.connect(path)
        self._file.executescript(SCHEMA)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def add_table(self, table: Table) -> None:
        """Keep a new game."""
        with self._file:
            self._file.execute(
                "INSERT INTO tables (game, channel, owner_token, spectator_token) VALUES (?, ?, ?, ?)", table
            )

    def add_seat(self, seat: Seat) -> None:
        """Keep who holds a seat."""
        with self._file:
            self._file.execute("INSERT OR REPLACE INTO seats VALUES (?, ?, ?, ?)", seat)

    def table(self, game: str) -> Table | None:
        """A game; None where it is not one of ours."""
        return self._table("SELECT game, channel, owner_token, spectator_token FROM tables WHERE game = ?", game)

    def latest(self, channel: int) -> Table | None:
        """The game that was begun last in a channel."""
        return self._table(
            "SELECT game, channel, owner_token, spectator_token FROM tables WHERE channel = ? "
            "ORDER BY over, rowid DESC LIMIT 1",
            channel,
        )

    def running(self) -> list[Table]:
        """Every game that is not over, as far as is known here."""
        with closing(
            self._file.execute("SELECT game, channel, owner_token, spectator_token FROM tables WHERE NOT over")
        ) as found:
            return [Table(*row) for row in found]

    def finish(self, game: str) -> None:
        """A game is over."""
        with self._file:
            self._file.execute("UPDATE tables SET over = 1 WHERE game = ?", (game,))

    def seats(self, game: str) -> dict[int, Seat]:
        """Who holds which seat of a game."""
        with closing(self._file.execute("SELECT * FROM seats WHERE game = ?", (game,))) as found:
            return {seat.seat: seat for seat in (Seat(*row) for row in found)}

    def seats_of(self, user: int) -> list[Seat]:
        """A user's seats, the newest game first."""
        with closing(
            self._file.execute(
                "SELECT seats.* FROM seats JOIN tables USING (game) WHERE user = ? AND NOT over "
                "ORDER BY tables.rowid DESC",
                (user,),
            )
        ) as found:
            return [Seat(*row) for row in found]

    def seat_of(self, game: str, user: int) -> Seat | None:
        """The seat that a user holds in a game."""
        return next((seat for seat in self.seats(game).values() if seat.user == user), None)

    def announced(self, game: str) -> str:
        """What was said last of a game."""
        with closing(self._file.execute("SELECT announced FROM tables WHERE game = ?", (game,))) as found:
            row = found.fetchone()
        return str(row[0]) if row else ""

    def announce(self, game: str, what: str) -> None:
        """Remember what was said last, so that no restart says it again."""
        with self._file:
            self._file.execute("UPDATE tables SET announced = ? WHERE game = ?", (what, game))

    def language(self, user: int) -> Language:
        """The language that a user's Discord had last."""
        with closing(self._file.execute("SELECT locale FROM users WHERE user = ?", (user,))) as found:
            row = found.fetchone()
        return language_of(str(row[0])) if row else "en"

    def meet(self, user: int, locale: str) -> None:
        """Remember a user's locale."""
        with self._file:
            self._file.execute("INSERT OR REPLACE INTO users VALUES (?, ?)", (user, locale))

    def _table(self, query: str, value: str | int) -> Table | None:
        with closing(self._file.execute(query, (value,))) as found:
            row = found.fetchone()
        return Table(*row) if row else None

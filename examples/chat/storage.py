"""The bot's SQLite file: the games of channels, and the seats of users.

A seat's token acts for its player, so only the file's owner can read it. The state of games is not stored; the bot
reads it from the service.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from examples.chat.phrases import Language, language_of

SCHEMA = """
CREATE TABLE IF NOT EXISTS tables (
    game TEXT PRIMARY KEY,
    channel TEXT NOT NULL,
    owner_token TEXT NOT NULL,
    spectator_token TEXT NOT NULL,
    announced TEXT NOT NULL DEFAULT '',
    over INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS seats (
    game TEXT NOT NULL REFERENCES tables (game),
    seat INTEGER NOT NULL,
    user TEXT NOT NULL,
    token TEXT NOT NULL,
    PRIMARY KEY (game, seat)
);
CREATE INDEX IF NOT EXISTS seats_by_user ON seats (user);
CREATE TABLE IF NOT EXISTS users (user TEXT PRIMARY KEY, locale TEXT NOT NULL);
"""


class ChannelGame(NamedTuple):
    """A game in a channel."""

    game: str
    channel: str
    owner_token: str
    spectator_token: str


class Seat(NamedTuple):
    """A seat and its user."""

    game: str
    seat: int
    user: str
    token: str


class BotStorage:
    """The file, created if it is missing."""

    def __init__(self, path: Path) -> None:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        self._file = sqlite3.connect(path)
        self._file.executescript(SCHEMA)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def add_game(self, channel_game: ChannelGame) -> None:
        """Store a new game."""
        with self._file:
            self._file.execute(
                "INSERT INTO tables (game, channel, owner_token, spectator_token) VALUES (?, ?, ?, ?)", channel_game
            )

    def add_seat(self, seat: Seat) -> None:
        """Store the user of a seat."""
        with self._file:
            self._file.execute("INSERT OR REPLACE INTO seats VALUES (?, ?, ?, ?)", seat)

    def remove_seat(self, game: str, seat: int) -> None:
        """Forget the user of a seat."""
        with self._file:
            self._file.execute("DELETE FROM seats WHERE game = ? AND seat = ?", (game, seat))

    def game(self, game: str) -> ChannelGame | None:
        """Return a game, or None if it is not stored."""
        return self._query_game("SELECT game, channel, owner_token, spectator_token FROM tables WHERE game = ?", game)

    def latest_game(self, channel: str) -> ChannelGame | None:
        """Return the newest game of a channel, preferably one that is not over."""
        return self._query_game(
            "SELECT game, channel, owner_token, spectator_token FROM tables WHERE channel = ? "
            "ORDER BY over, rowid DESC LIMIT 1",
            channel,
        )

    def running_games(self) -> list[ChannelGame]:
        """Return every game that is not marked as over."""
        with closing(
            self._file.execute("SELECT game, channel, owner_token, spectator_token FROM tables WHERE NOT over")
        ) as rows:
            return [ChannelGame(*map(str, row)) for row in rows]

    def move_games(self, channel: str, successor: str) -> None:
        """Move the games of a channel to another one."""
        with self._file:
            self._file.execute("UPDATE tables SET channel = ? WHERE channel = ?", (successor, channel))

    def mark_over(self, game: str) -> None:
        """Mark a game as over."""
        with self._file:
            self._file.execute("UPDATE tables SET over = 1 WHERE game = ?", (game,))

    def seats(self, game: str) -> dict[int, Seat]:
        """Return the seats of a game by number."""
        with closing(self._file.execute("SELECT * FROM seats WHERE game = ?", (game,))) as rows:
            return {seat.seat: seat for seat in map(_read_seat, rows)}

    def seats_of(self, user: str) -> list[Seat]:
        """Return a user's seats in running games, newest first."""
        with closing(
            self._file.execute(
                "SELECT seats.* FROM seats JOIN tables USING (game) WHERE user = ? AND NOT over "
                "ORDER BY tables.rowid DESC",
                (user,),
            )
        ) as rows:
            return [*map(_read_seat, rows)]

    def seat_of(self, game: str, user: str) -> Seat | None:
        """Return a user's seat in a game."""
        return next((seat for seat in self.seats(game).values() if seat.user == user), None)

    def last_announcement(self, game: str) -> str:
        """Return the last announcement of a game."""
        with closing(self._file.execute("SELECT announced FROM tables WHERE game = ?", (game,))) as rows:
            row = rows.fetchone()
        return str(row[0]) if row else ""

    def save_announcement(self, game: str, announcement: str) -> None:
        """Store the last announcement, so that a restart does not repeat it."""
        with self._file:
            self._file.execute("UPDATE tables SET announced = ? WHERE game = ?", (announcement, game))

    def language(self, user: str) -> Language:
        """Return a user's last language."""
        with closing(self._file.execute("SELECT locale FROM users WHERE user = ?", (user,))) as rows:
            row = rows.fetchone()
        return language_of(str(row[0])) if row else "en"

    def save_language(self, user: str, language: Language) -> None:
        """Store a user's language; the file is not written unless it changes."""
        with self._file:
            self._file.execute(
                "INSERT INTO users VALUES (?, ?) "
                "ON CONFLICT DO UPDATE SET locale = excluded.locale WHERE locale <> excluded.locale",
                (user, language),
            )

    def _query_game(self, query: str, value: str | int) -> ChannelGame | None:
        with closing(self._file.execute(query, (value,))) as rows:
            row = rows.fetchone()
        return ChannelGame(*map(str, row)) if row else None


def _read_seat(row: tuple[str, int, str | int, str]) -> Seat:
    game, seat, user, token = row
    return Seat(game, seat, str(user), token)  # older files have numbers

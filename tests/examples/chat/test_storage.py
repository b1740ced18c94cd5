"""The file of games and seats: its permissions, and files of earlier releases."""

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

from examples.chat.storage import BotStorage, ChannelGame, Seat


def test_only_the_owner_can_read_the_file(tmp_path: Path) -> None:
    file = tmp_path / "bot.sqlite"
    BotStorage(file).close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_with_numbers_of_users_and_channels_is_read(tmp_path: Path) -> None:
    """Such a file was written before the bot had other chats than Discord."""
    file = tmp_path / "bot.sqlite"
    with closing(sqlite3.connect(file)) as old:
        old.executescript("""
            CREATE TABLE tables (game TEXT PRIMARY KEY, channel INTEGER NOT NULL, owner_token TEXT NOT NULL,
                spectator_token TEXT NOT NULL, announced TEXT NOT NULL DEFAULT '', over INTEGER NOT NULL DEFAULT 0);
            CREATE TABLE seats (game TEXT NOT NULL, seat INTEGER NOT NULL, user INTEGER NOT NULL, token TEXT NOT NULL,
                PRIMARY KEY (game, seat));
            CREATE TABLE users (user INTEGER PRIMARY KEY, locale TEXT NOT NULL);
            INSERT INTO tables (game, channel, owner_token, spectator_token) VALUES ('g', 700, 'o', 's');
            INSERT INTO seats VALUES ('g', 0, 123456789012345678, 't');
            INSERT INTO users VALUES (123456789012345678, 'fr');
        """)
    storage = BotStorage(file)
    seat = Seat("g", 0, "123456789012345678", "t")
    assert storage.latest_game("700") == ChannelGame("g", "700", "o", "s")
    assert storage.seats_of(seat.user) == [seat]
    assert storage.seats("g") == {0: seat}
    assert storage.language(seat.user) == "fr"
    storage.save_language(seat.user, "de")
    assert storage.language(seat.user) == "de"
    storage.close()

"""Saved seats: a file for each game, which only its owner can read, because it has tokens."""

import os
from pathlib import Path

import msgspec


class SavedSeats(msgspec.Struct, frozen=True, kw_only=True):
    """The tokens to resume a game."""

    url: str
    game: str
    seats: dict[int, str]
    """The tokens of the seats played here, by seat."""
    owner: str | None = None
    spectator: str | None = None

    @property
    def reader_token(self) -> str | None:
        """A token that can read the game."""
        return next(iter(self.seats.values()), self.spectator)


class UnreadableSeats(Exception):
    """The seats of the game cannot be read on this machine: the message says why."""


def default_folder() -> Path:
    """Return the folder for state files (XDG Base Directory)."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "south-seas"


def save_seats(folder: Path, seats: SavedSeats) -> Path:
    """Write the file of a game, replacing an older one; return its path."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{seats.game}.json"
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(seats)) + b"\n")
    return path


def load_seats(folder: Path, game: str) -> SavedSeats:
    """Read the file of a game. Raises UnreadableSeats."""
    path = folder / f"{game}.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=SavedSeats)
    except FileNotFoundError as error:
        raise UnreadableSeats(f"There is no file {path}: this machine has no seats in that game.") from error
    except (OSError, UnicodeDecodeError, msgspec.DecodeError) as error:
        raise UnreadableSeats(f"The file {path} cannot be read: {error}") from error

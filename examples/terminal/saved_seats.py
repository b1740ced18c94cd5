"""The seats taken from this machine: a file per game, which only its owner may read, since it holds tokens."""

import os
from pathlib import Path

import msgspec

from schemas.vocabulary import Id


class Seats(msgspec.Struct, frozen=True, kw_only=True):
    """How to come back to a game."""

    url: str
    game: Id
    seats: dict[int, str]
    """The token of each seat that is played here."""
    owner: str | None = None
    spectator: str | None = None

    @property
    def reader(self) -> str | None:
        """A token that may read the game."""
        return next(iter(self.seats.values()), self.spectator)


class NoSuchFile(Exception):
    """No seats of the game were taken from this machine."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.path = path


def default_folder() -> Path:
    """Where files of programs' state belong (XDG Base Directory)."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "south-seas"


def keep(folder: Path, seats: Seats) -> Path:
    """Write the file of a game, in place of an older one; gives its path."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{seats.game}.json"
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(seats)) + b"\n")
    return path


def recall(folder: Path, game: str) -> Seats:
    """Read the file of a game; raises NoSuchFile."""
    path = folder / f"{game}.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=Seats)
    except FileNotFoundError as error:
        raise NoSuchFile(path) from error

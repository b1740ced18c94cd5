"""Saved seats: files that only their owner can read."""

import stat
from pathlib import Path

import pytest

from examples.terminal.saved_seats import SavedSeats, UnreadableSeats, default_folder, load_seats, save_seats

SEATS = SavedSeats(url="http://localhost:1", game="abc", seats={0: "secret", 2: "other"}, owner="own", spectator="see")


def test_saved_seats_are_loaded(tmp_path: Path) -> None:
    save_seats(tmp_path / "new" / "folder", SEATS)
    assert load_seats(tmp_path / "new" / "folder", "abc") == SEATS


def test_only_the_owner_can_read_saved_seats(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    (tmp_path / "abc.json").touch(0o666)
    for path in (save_seats(folder, SEATS), save_seats(tmp_path, SEATS)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_missing_seats_raise(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSeats, match=f"There is no file {tmp_path / 'xyz.json'}: "):
        load_seats(tmp_path, "xyz")


@pytest.mark.parametrize("damaged", (b"garbage", b"{}", b'{"url": "\xff"}'))
def test_a_damaged_file_raises(tmp_path: Path, damaged: bytes) -> None:
    (tmp_path / "abc.json").write_bytes(damaged)
    with pytest.raises(UnreadableSeats, match=f"The file {tmp_path / 'abc.json'} cannot be read: "):
        load_seats(tmp_path, "abc")


def test_the_reader_token_is_a_seat_s_or_the_spectator_s() -> None:
    assert SEATS.reader_token == "secret"
    assert SavedSeats(url="", game="abc", seats={}, spectator="see").reader_token == "see"
    assert SavedSeats(url="", game="abc", seats={}).reader_token is None


def test_the_default_folder_follows_xdg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "south-seas"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "/home/ana")
    assert default_folder() == Path("/home/ana/.local/state/south-seas")

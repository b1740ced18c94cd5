"""The failures of single games in commands for many."""

import pytest

from service.cli.store import report_failure
from service.games.archive import InvalidDocument
from service.games.errors import TileSetMissing
from service.games.ports import StoreUnavailable, UnreadableGame


def fail(error: Exception) -> None:
    raise error


@pytest.mark.parametrize(
    ("error", "reason"),
    (
        (TileSetMissing("no tile set x"), "no tile set x: name the directory of its tile set with --tilesets-dir"),
        (InvalidDocument("it is empty"), "it is empty"),
        (UnreadableGame("no log"), "no log"),
        (PermissionError(13, "Permission denied", "/f"), "Permission denied"),
        (OSError("no number"), "no number"),
        (KeyError("x\x1b"), "KeyError: 'x\\x1b'"),
    ),
)
def test_the_failure_of_one_game_is_one_line(error: Exception, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    with report_failure("game g"):
        fail(error)
    assert capsys.readouterr() == ("", f"game g: {reason}\n")


def test_an_unavailable_store_ends_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(StoreUnavailable, match="down"), report_failure("game g"):
        fail(StoreUnavailable("down"))
    assert capsys.readouterr() == ("", "")

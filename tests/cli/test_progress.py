"""The progress of long commands, and the failures of single games."""

from types import SimpleNamespace

import pytest

from service.cli import progress
from service.cli.progress import REPORT_INTERVAL_S, Progress, report_failure
from service.games.archive.document import InvalidDocument
from service.games.errors import TileSetMissing
from service.games.ports.game_store import StoreUnavailable, UnreadableGame


def test_progress_is_printed_every_few_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    times = iter([1000.0 + intervals * REPORT_INTERVAL_S for intervals in (0, 0.9, 1, 1.9, 2.5)])
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(times)))
    shown = Progress("checked")
    for games in (1, 100, 110, 200):
        shown.report(games)
    rates = [games / (intervals * REPORT_INTERVAL_S) for intervals, games in ((1, 100), (2.5, 200))]
    assert capsys.readouterr() == (
        "",
        f"checked 100 games so far, {rates[0]:.0f} per second\nchecked 200 games so far, {rates[1]:.0f} per second\n",
    )


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

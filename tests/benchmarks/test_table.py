"""A result as Markdown."""

from benchmarks.table import lines
from tests.benchmarks.some_result import FIGURES, a_result


def test_every_figure_has_its_row() -> None:
    rows = [line for line in lines(a_result()) if line.startswith("|")]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert len(rows) == 2 + 3 + len(FIGURES)
    assert ["actions", "2,500 actions/s (2,400 to 2,600)", "5,000", "0.5", "0.7 of the ceiling"] in cells
    assert ["random games (pure)", "411 games/s (399 to 420)", "", "", "350 games/s"] in cells
    assert ["an idle socket", "16.4 KB", "", "", "under 15 KB"] in cells


def test_what_it_was_measured_with_and_all_notes_are_told() -> None:
    told = "\n".join(lines(a_result()))
    for part in ("2026-11-22", "2 cores of A Processor", "Python 3.11.7", "aiohttp 3.14.5", "0123456789ab"):
        assert part in told
    assert "- Actions: everything on." in told
    assert "- Two workers do more." in told
    assert "- The bare ceiling of one action: no game." in told


def test_a_noisy_machine_is_told_above_the_table() -> None:
    assert "Not to be judged by" not in "\n".join(lines(a_result()))
    told = [*lines(a_result("too loud", "too hot"))]
    assert told.index("**Not to be judged by:** too loud; too hot.") < next(
        number for number, line in enumerate(told) if line.startswith("|")
    )

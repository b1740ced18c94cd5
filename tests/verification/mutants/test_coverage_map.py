"""Which tests a mutant is tried with, and which are measured again after a change."""

import pytest

from tests.tools import ROOT
from tests.verification.mutants.coverage_map import (
    MAX_NEAR_TESTS_S,
    MAX_TESTS_S,
    CoverageMap,
    Run,
    find_importers,
    within_budget,
)

TURN, VIEW, LIMITS = "service/engine/turn.py", "service/engine/view.py", "service/web/limits.py"
TEST_TURN, TEST_VIEW, TEST_WEB = "tests/engine/test_turn.py", "tests/engine/test_view.py", "tests/web/test_routes.py"
DIGESTS = {TURN: "1", VIEW: "1", LIMITS: "1", TEST_TURN: "1", TEST_VIEW: "1", TEST_WEB: "1"}

FAST, SLOW, BROKEN = f"{TEST_TURN}::test_fast", f"{TEST_TURN}::test_slow", f"{TEST_TURN}::test_broken"
SEES, ROUTE = f"{TEST_VIEW}::test_sees", f"{TEST_WEB}::test_route"


@pytest.fixture
def measured() -> CoverageMap:
    result = CoverageMap()
    durations = {FAST: 0.1, SLOW: 2.0, BROKEN: None, SEES: 1.0, ROUTE: 3.0}
    lines = {TURN: {5: {SLOW, FAST, BROKEN, SEES}, 6: {SLOW}}, VIEW: {9: {SEES}}}
    result.update(Run(durations, lines), [TEST_TURN, TEST_VIEW, TEST_WEB], DIGESTS)
    return result


def test_the_tests_that_run_a_line_come_the_fastest_first_then_the_others_of_their_files(
    measured: CoverageMap,
) -> None:
    assert measured.select_tests(TURN, (5, 5)) == [FAST, SEES, SLOW]
    assert measured.select_tests(TURN, (6, 8)) == [SLOW, FAST]


@pytest.mark.parametrize(
    ("path", "near", "left"),
    (
        ("service/drawing/layout/islands.py", 1.5 * MAX_TESTS_S, ["route", "tile", "picture"]),
        ("service/drawing/layout/islands.py", 1.5 * MAX_NEAR_TESTS_S, ["route", "tile", "picture"]),
        ("service/web/routes/ships.py", 1.5 * MAX_NEAR_TESTS_S, ["route", "tile"]),
        ("service/start.py", 1.5 * MAX_TESTS_S, ["route", "tile", "start"]),
        ("service/main.py", 1.5 * MAX_TESTS_S, ["route", "tile"]),
    ),
    ids=("near", "alone in its file", "elsewhere", "named after it", "no directory"),
)
def test_slow_tests_are_left_out_later_if_they_are_near(path: str, near: float, left: list[str]) -> None:
    names = {
        "route": "tests/web/routes/test_ships.py::test_route",
        "tile": "tests/drawing/test_tile.py::test_tile",
        "picture": "tests/drawing/test_pictures.py::test_picture",
        "late picture": "tests/drawing/test_pictures.py::test_late_picture",
        "start": "tests/test_start.py::test_start",
    }
    durations = dict(zip(names.values(), (1.0, 2.0, near, MAX_NEAR_TESTS_S, near + 1), strict=True))
    assert within_budget([*durations], path, durations) == [names[one] for one in left]


def test_the_only_test_of_a_line_is_never_left_out() -> None:
    assert within_budget([ROUTE], LIMITS, {ROUTE: 10 * MAX_NEAR_TESTS_S}) == [ROUTE]


def test_a_line_that_no_test_runs_takes_the_same_tests_as_an_import(measured: CoverageMap) -> None:
    assert measured.select_tests(VIEW, (1, 1)) == measured.select_tests(VIEW, None) == [FAST, SEES, SLOW]


def test_what_an_import_runs_takes_the_tests_of_the_module_of_its_directory_and_of_what_imports_it(
    measured: CoverageMap,
) -> None:
    """Also where a process that a test starts has imported it: that test need not look at it."""
    elsewhere = "tests/test_starting.py::test_starts"
    measured.update(Run({elsewhere: 0.01}, {TURN: {1: {elsewhere}}}), ["tests/test_starting.py"], DIGESTS)
    assert measured.select_tests(TURN, (1, 1)) == [elsewhere]
    assert measured.select_tests(TURN, None) == [elsewhere, FAST, SEES, SLOW]
    assert measured.select_tests(TURN, None, {TEST_WEB}) == [elsewhere, FAST, SEES, ROUTE, SLOW]


def test_importers_are_found_through_one_module() -> None:
    importers = find_importers(ROOT)
    assert "tests/docs/test_figures.py" in importers["service/web/images/renderer.py"]
    assert "tests/openapi/test_document.py" in importers["service/web/routes/page.py"]
    assert "tests/engine/test_setup.py" not in importers["service/web/images/renderer.py"]


def test_a_module_that_no_test_runs_takes_those_of_the_nearest_directory(measured: CoverageMap) -> None:
    assert measured.select_tests(LIMITS, (1, 1)) == [ROUTE]


def test_without_a_change_nothing_is_measured_again(measured: CoverageMap) -> None:
    assert measured.stale_files(DIGESTS) == []


def test_what_runs_a_changed_module_is_measured_again(measured: CoverageMap) -> None:
    assert measured.stale_files({**DIGESTS, TURN: "2"}) == [TEST_TURN, TEST_VIEW]
    assert measured.stale_files({**DIGESTS, VIEW: "2"}) == [TEST_VIEW]


def test_what_is_new_or_changed_itself_is_measured_again(measured: CoverageMap) -> None:
    assert measured.stale_files({**DIGESTS, TEST_WEB: "2", "tests/web/test_new.py": "1"}) == [
        "tests/web/test_new.py",
        TEST_WEB,
    ]


def test_a_measurement_replaces_the_one_before(measured: CoverageMap) -> None:
    changed = {**DIGESTS, TURN: "2"}
    measured.update(Run({SLOW: 0.2, SEES: 1.0}, {TURN: {7: {SLOW}, 5: {SEES}}}), [TEST_TURN, TEST_VIEW], changed)
    assert measured.select_tests(TURN, (5, 5)) == [SEES]
    assert measured.select_tests(TURN, (7, 7)) == [SLOW]
    assert measured.durations_by_name() == {SLOW: 0.2, SEES: 1.0, ROUTE: 3.0}
    assert measured.stale_files(changed) == []


def test_tests_of_a_removed_file_are_forgotten(measured: CoverageMap) -> None:
    measured.update(Run({}, {}), [], {path: "1" for path in DIGESTS if path != TEST_VIEW})
    assert measured.select_tests(TURN, (5, 5)) == [FAST, SLOW]

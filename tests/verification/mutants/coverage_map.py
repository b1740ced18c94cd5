"""Which tests run which line of `service`, measured once; later only the tests for which something has changed."""

import ast
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from itertools import accumulate, takewhile
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec
from coverage import CoverageData

TESTS = "tests"

MAX_TESTS_S = 240.0
"""How long the tests of one mutant may take, by what they took when they were measured: up to ten times as long."""
MAX_NEAR_TESTS_S = 480.0
"""The same for those of the nearest directory."""


class Run(NamedTuple):
    """What one run of some tests has measured."""

    durations: Mapping[str, float | None]
    """In seconds; None for a test that did not pass."""
    lines: Mapping[str, Mapping[int, Collection[str]]]
    """By module and line, the tests."""


class CoverageMap(msgspec.Struct):
    """The tests of each line. A test is stored as a number, because a line may have thousands."""

    names: dict[int, str] = {}
    durations: dict[int, float | None] = {}
    lines: dict[str, dict[int, list[int]]] = {}
    digests: dict[str, str] = {}
    """Of the test files, and of the modules that they run."""

    def stale_files(self, digests: Mapping[str, str]) -> list[str]:
        """Return the test files that changed or run a changed module, for the digests of all files now."""
        changed = {path for path in self.lines if self.digests.get(path) != digests.get(path)}
        tests = {test for path in changed for tests in self.lines[path].values() for test in tests}
        stale = {_file(self.names[test]) for test in tests}
        stale |= {path for path, digest in digests.items() if _is_test(path) and self.digests.get(path) != digest}
        return sorted(stale & digests.keys())

    def update(self, run: Run, files: Collection[str], digests: Mapping[str, str]) -> None:
        """Replace what is known of test files by a run of them."""
        removed = {test for test, name in self.names.items() if _file(name) in files or _file(name) not in digests}
        for test in removed:
            del self.names[test], self.durations[test]
        first = max(self.names, default=0) + 1
        numbers = {name: number for number, name in enumerate(run.durations, first)}
        self.names.update({number: name for name, number in numbers.items()})
        self.durations.update({number: run.durations[name] for name, number in numbers.items()})
        for path in self.lines.keys() | run.lines.keys():
            before, now = self.lines.get(path, {}), run.lines.get(path, {})
            left = {line: [test for test in tests if test not in removed] for line, tests in before.items()}
            added = {line: [numbers[name] for name in names if name in numbers] for line, names in now.items()}
            self.lines[path] = {line: left.get(line, []) + added.get(line, []) for line in left.keys() | added.keys()}
        self.digests = dict(digests)

    def select_tests(self, path: str, lines: tuple[int, int] | None, importers: Collection[str] = ()) -> list[str]:
        """Return the passing tests that run some lines of a module, the fastest first, then the others of their files.

        Of tests that share what a cache or a fixture holds, only the first one was seen to run the lines behind it.

        None stands for what runs while the module is imported, whoever imports it. Three groups of tests get equal
        shares of the time: those that run anything of the module, those of the nearest directory, and those in
        `importers`, the test files that import it. They also stand in for lines that no test runs.
        """
        known = self.lines.get(path, {})
        running = {test for line in range(lines[0], lines[1] + 1) for test in known.get(line, ())} if lines else set()
        if running:
            files = {_file(self.names[test]) for test in running}
            others = {test for test, name in self.names.items() if _file(name) in files} - running
            return [*self._fastest_first([running]), *self._fastest_first([others])]
        of_module = {test for tests in known.values() for test in tests}
        importing = {test for test, name in self.names.items() if _file(name) in importers}
        return self._fastest_first([of_module, {*self._tests_beside(path)}, importing])

    def _fastest_first(self, groups: Iterable[Collection[int]]) -> list[str]:
        """Return the passing tests of the groups, ordered by how long each takes with those before it in its group."""
        ends_at: dict[int, float] = {}
        for group in groups:
            passing = sorted((duration, test) for test in group if (duration := self.durations[test]) is not None)
            for (_, test), end in zip(passing, accumulate(duration for duration, _ in passing), strict=True):
                ends_at[test] = min(end, ends_at.get(test, end))
        return [self.names[test] for test in sorted(ends_at, key=ends_at.__getitem__)]

    def durations_by_name(self) -> dict[str, float]:
        """Return what each passing test takes."""
        return {self.names[test]: duration for test, duration in self.durations.items() if duration is not None}

    def _tests_beside(self, path: str) -> Iterable[int]:
        for directory in PurePosixPath(TESTS, *PurePosixPath(path).parts[1:]).parents:
            tests = [test for test, name in self.names.items() if directory in PurePosixPath(_file(name)).parents]
            if tests:
                return tests
        return ()


def within_budget(tests: Sequence[str], path: str, durations: Mapping[str, float]) -> list[str]:
    """Return the first tests that take MAX_TESTS_S, and the first near the module that take MAX_NEAR_TESTS_S.

    Of either at least one, and of each file near the module: the slowest test may be the only one that compares the
    result, as of pictures.
    """
    near = _nearest(tests, path)
    first_of_files = {_file(test): test for test in reversed(near)}
    kept = {
        *_first(tests, durations, MAX_TESTS_S),
        *_first(near, durations, MAX_NEAR_TESTS_S),
        *first_of_files.values(),
    }
    return [test for test in tests if test in kept]


def _first(tests: Sequence[str], durations: Mapping[str, float], budget_s: float) -> Sequence[str]:
    """Return the first tests that together take no longer than a budget, and one at least."""
    spent = accumulate(durations[test] for test in tests)
    fitting = takewhile(lambda pair: pair[1] <= budget_s, zip(tests, spent, strict=True))
    return [test for test, _ in fitting] or tests[:1]


def _nearest(tests: Sequence[str], path: str) -> Sequence[str]:
    """Return those of the tests that are in files named after the module, or in the nearest directory but `tests`."""
    *directories, _tests, _root = PurePosixPath(TESTS, *PurePosixPath(path).parts[1:]).parents
    files = {test: PurePosixPath(_file(test)) for test in tests}
    directory = next((one for one in directories if one in {file.parent for file in files.values()}), None)
    name = f"test_{PurePosixPath(path).stem}.py"
    return [test for test, file in files.items() if file.name == name or file.parent == directory]


def read_run(data_file: Path, durations: Mapping[str, float | None]) -> Run:
    """Read what coverage.py and the plugin have written."""
    data = CoverageData(str(data_file))
    tests_by_file = defaultdict(set)
    for test in durations:
        tests_by_file[_file(test)].add(test)

    def tests(contexts: Iterable[str]) -> Iterator[str]:
        for context in contexts:
            test, _, phase = context.partition(" (")
            # A server that a fixture starts serves perhaps all tests of the file.
            yield from tests_by_file[_file(test)] if phase == "setup)" else {test} & durations.keys()

    with closing(data):
        data.read()
        return Run(
            durations,
            {
                path: {line: set(tests(contexts)) for line, contexts in data.contexts_by_lineno(path).items()}
                for path in data.measured_files()
            },
        )


def digest_files(root: Path) -> dict[str, str]:
    """Return the digest of each module and of each test file."""
    modules = (root / "service").rglob("*.py")
    test_files = (root / TESTS).rglob("test_*.py")
    files = ((file.relative_to(root).as_posix(), file.read_bytes()) for file in (*modules, *test_files))
    return {path: sha256(content).hexdigest() for path, content in files}


def find_importers(root: Path) -> Mapping[str, Collection[str]]:
    """Return by module of the service the test files that import it, or a module or helper that does."""
    direct: defaultdict[str, set[str]] = defaultdict(set)
    for file in (*(root / "service").rglob("*.py"), *(root / TESTS).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                module = PurePosixPath(*node.module.split("."))
                for path in (module, *(module / alias.name for alias in node.names)):
                    direct[f"{path}.py"].add(file.relative_to(root).as_posix())
    return {
        path: {*filter(_is_test, importers.union(*(direct.get(importer, ()) for importer in importers)))}
        for path, importers in direct.items()
    }


def _file(test: str) -> str:
    return sys.intern(test.partition("::")[0])


def _is_test(path: str) -> bool:
    return path.startswith(f"{TESTS}/") and PurePosixPath(path).name.startswith("test_")

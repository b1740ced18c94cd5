"""Remembers results, leaves out equivalent and tuning mutants, and prints the table and the surviving mutants."""

import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec

from tests.verification.mutants.runner import Outcome
from tests.verification.mutants.tuning import is_tuning

_ROW = "{:<26}{:>9}{:>9}{:>11}{:>10}{:>12}{:>8}{:>7}"

EQUIVALENT = Path(__file__).with_name("equivalent.toml")


class Equivalent(msgspec.Struct, frozen=True):
    """A mutant that no test can notice, or none should."""

    path: str
    before: str
    after: str
    reason: str


class Result(msgspec.Struct):
    """The outcome of a mutant. It holds for as long as `state`, the digest of the test files that decided it, does."""

    outcome: Outcome
    test: str | None
    state: str


class Line(NamedTuple):
    """What the report says of one mutant. `outcome` is None for an equivalent one."""

    path: str
    line: int
    before: str
    after: str
    outcome: Outcome | None

    @property
    def is_tuning(self) -> bool:
        return is_tuning(self.path, self.before, self.after)


def read_equivalents(file: Path = EQUIVALENT) -> list[Equivalent]:
    """Read the list of equivalent mutants."""
    return msgspec.convert(tomllib.loads(file.read_text()).get("equivalent", []), list[Equivalent])


def format_report(lines: Collection[Line]) -> Iterator[str]:
    """Iterate over the lines of the report: the surviving mutants as diffs, then the table by package."""
    for one in sorted(lines):
        if one.outcome is Outcome.SURVIVED:
            yield f"{one.path}:{one.line}"
            yield from (f"  - {text}" for text in one.before.splitlines())
            yield from (f"  + {text}" for text in one.after.splitlines())
            yield from ["  (tuning)"] if one.is_tuning else []
    packages = sorted({_package(one.path) for one in lines})
    yield _ROW.format("package", "mutants", "noticed", "timed out", "survived", "equivalent", "tuning", "rate")
    for package in packages:
        yield _format_row(package, (one for one in lines if _package(one.path) == package))
    yield _format_row("all", lines)


def _package(path: str) -> str:
    """Return the package two levels down, as in service.web."""
    return ".".join(PurePosixPath(path).parts[:-1][:2])


def _format_row(name: str, lines: Iterable[Line]) -> str:
    counts = Counter("tuning" if one.is_tuning else one.outcome for one in lines)
    noticed, slow, survived = (counts[one] for one in (Outcome.NOTICED, Outcome.TIMED_OUT, Outcome.SURVIVED))
    judged = noticed + slow + survived
    rate = f"{(noticed + slow) / judged:.0%}" if judged else "-"
    return _ROW.format(name, counts.total(), noticed, slow, survived, counts[None], counts["tuning"], rate)

"""The long form: `python -m tests.fuzz --minutes 30 --seed 1`, or `make fuzz ARGS="--only socket"`.

Every fuzzer in turn, round after round, each round from another seed, until the time is up. A finding is told with the
seed that brings it up again, and the others go on; the end is 1 where there was any.
"""

import argparse
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.fuzz import http, lines, logs, queries, snapshots, sockets, tilesets
from tests.fuzz.figures import Effort, Figures
from tests.fuzz.subject import Subject, start_subject

Fuzz = Callable[[Subject, Path, Effort, Figures], None]


def _http(subject: Subject, directory: Path, effort: Effort, figures: Figures) -> None:
    http.fuzz(subject, directory, effort, figures)
    queries.fuzz(subject, effort._replace(examples=4 * effort.examples), figures)


def _snapshot(subject: Subject, directory: Path, effort: Effort, figures: Figures) -> None:
    snapshots.fuzz(subject, effort, figures)
    logs.fuzz(directory, effort._replace(examples=3 * effort.examples), figures)


FUZZERS: Mapping[str, tuple[int, Fuzz]] = {
    "http": (25, _http),
    "socket": (60, lambda subject, _, effort, figures: sockets.fuzz(subject, effort, figures)),
    "snapshot": (60, _snapshot),
    "tileset": (300, lambda _, directory, effort, figures: tilesets.fuzz(directory, effort, figures)),
    "lines": (500, lambda subject, _, effort, figures: lines.fuzz(subject, effort, figures)),
}
"""Each by its name, with the examples of one round."""


def main() -> int:
    """Fuzz for as long as is asked for; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", choices=FUZZERS, action="append")
    requested = parser.parse_args()
    until, figures, findings = time.monotonic() + 60 * requested.minutes, Figures(), 0
    for round_seed in range(requested.seed, requested.seed + 10**6):
        for name in requested.only or FUZZERS:
            if time.monotonic() >= until:
                _print_summary(figures, findings)
                return 1 if findings else 0
            findings += _run_round(name, round_seed, figures)
    return 0


def _run_round(name: str, seed: int, figures: Figures) -> bool:
    """One round of one fuzzer, on an instance of its own; whether it found anything."""
    examples, fuzz = FUZZERS[name]
    started_at = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="south-seas-fuzz-") as directory:
            where = Path(directory)
            with start_subject(where / "data") as one:
                fuzz(one, where, Effort(examples, seed), figures)
    except Exception:  # noqa: BLE001  whatever it is, it is a finding, and the other fuzzers go on
        print(f"FOUND by --only {name} --seed {seed}:\n{traceback.format_exc()}", flush=True)
        return True
    print(f"{name} seed {seed}: nothing in {time.monotonic() - started_at:.0f} s", flush=True)
    return False


def _print_summary(figures: Figures, findings: int) -> None:
    for what, number in sorted(figures.items()):
        print(f"{number:>9}  {what}")
    print(f"{findings:>9}  rounds with findings")


if __name__ == "__main__":
    sys.exit(main())

"""A long run: `python -m verification.fuzz --minutes 30 --seed 1`, or `make fuzz ARGS="--only socket"`.

Run all fuzzers in rounds, each with another seed, until the time is up. Print each finding with the seed that
reproduces it, and continue. Exit with 1 if there was a finding.
"""

import argparse
import itertools
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path

from verification.fuzz import http, logs, names, raw_http, snapshots, sockets, tilesets
from verification.fuzz.harness import Budget, Counts
from verification.fuzz.target import Target, start_target

Fuzzer = Callable[[Target, Path, Budget, Counts], None]


def _http(target: Target, directory: Path, budget: Budget, counts: Counts) -> None:
    http.fuzz(target, directory, budget, counts)
    names.fuzz(target, budget._replace(examples=4 * budget.examples), counts)


def _snapshot(target: Target, directory: Path, budget: Budget, counts: Counts) -> None:
    snapshots.fuzz(target, budget, counts)
    logs.fuzz(directory, budget._replace(examples=3 * budget.examples), counts)


FUZZERS: Mapping[str, tuple[int, Fuzzer]] = {
    "http": (25, _http),
    "socket": (60, lambda target, _, budget, counts: sockets.fuzz(target, budget, counts)),
    "snapshot": (60, _snapshot),
    "tileset": (300, lambda _, directory, budget, counts: tilesets.fuzz(directory, budget, counts)),
    "raw-http": (500, lambda target, _, budget, counts: raw_http.fuzz(target, budget, counts)),
}
"""By name: the number of examples in a round, and the fuzzer."""


def main() -> int:
    """Run fuzzers until the time is up, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m verification.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30, help="how long to run")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="seed of the first round")
    parser.add_argument("--only", choices=FUZZERS, action="append", help="run only this fuzzer; may be repeated")
    options = parser.parse_args()
    until, counts, findings = time.monotonic() + 60 * options.minutes, Counts(), 0
    for round_seed in itertools.count(options.seed):
        for name in options.only or FUZZERS:
            if time.monotonic() >= until:
                _print_summary(counts, findings)
                return 1 if findings else 0
            findings += _run_round(name, round_seed, counts)
    raise AssertionError("seeds never end")


def _run_round(name: str, seed: int, counts: Counts) -> bool:
    """Run one round of a fuzzer on a new instance, and return whether it has a finding."""
    examples, fuzz = FUZZERS[name]
    started_at = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="south-seas-fuzz-") as temporary:
            directory = Path(temporary)
            with start_target(directory / "data") as target:
                fuzz(target, directory, Budget(examples, seed), counts)
    except Exception:  # noqa: BLE001  every exception is a finding, and the other fuzzers continue
        print(f"FINDING of --only {name} --seed {seed}:\n{traceback.format_exc()}", flush=True)
        return True
    print(f"{name} seed {seed}: no finding in {time.monotonic() - started_at:.0f} s", flush=True)
    return False


def _print_summary(counts: Counts, findings: int) -> None:
    for name, count in sorted(counts.items()):
        print(f"{count:>9}  {name}")
    print(f"{findings:>9}  rounds with findings")


if __name__ == "__main__":
    sys.exit(main())

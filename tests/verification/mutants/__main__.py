"""Mutation testing: put small mistakes into `service`, one at a time, and count those that no test notices.

As in: make mutants ARGS="--sample 200 --seed 1". Results are kept in .mutants: another run tries only what has changed.
"""

import argparse
import random
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from hashlib import sha256
from itertools import chain, islice
from multiprocessing import get_context
from pathlib import Path

import msgspec

from tests.tools import ROOT
from tests.verification.mutants import mutations
from tests.verification.mutants.coverage_map import CoverageMap, digest_files, find_importers, within_budget
from tests.verification.mutants.mutations import Mutant
from tests.verification.mutants.results import Line, Result, format_report, read_equivalents
from tests.verification.mutants.runner import (
    Outcome,
    adopt_orphans,
    copy_project,
    measure,
    run_in_worker,
    set_up_worker,
)

CACHE = ROOT / ".mutants"
PROCESSES = 3

NOT_MEASURED = (
    "tests/benchmarks/",
    "tests/verification/chaos/",
    "tests/deploy/",
    "tests/verification/durability/",
    "tests/verification/fuzz/",
    "tests/verification/mutants/",
    "tests/page/",
)
"""These take long, and test other things than single lines of the service."""


def main() -> None:
    """Try out a sample and print the report."""
    parser = argparse.ArgumentParser(prog="python -m tests.verification.mutants", description=__doc__)
    parser.add_argument("--sample", type=int, default=100, help="how many mutants to try [default: 100]")
    parser.add_argument("--seed", type=int, default=random.randrange(1000), help="chooses them [default: random]")
    parser.add_argument("--only", default="service", metavar="PATH", help="a module or package [default: service]")
    arguments = parser.parse_args()
    print(f"{arguments.sample} mutants of {arguments.only}, seed {arguments.seed}", flush=True)
    CACHE.mkdir(exist_ok=True)
    adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="south-seas-mutants-") as name:
        directory = Path(name)
        coverage_map = _update_coverage(directory)
        with ProcessPoolExecutor(PROCESSES, get_context("spawn"), set_up_worker, (ROOT, directory)) as pool:
            modules = dict(mutations.find_all(ROOT, arguments.only))
            found = chain.from_iterable(pool.map(mutations.find_mutations, modules, modules.values()))
            chosen = mutations.sample([*found], arguments.seed)
            mutants = (mutations.apply(one, modules[one.path]) for one in chosen)
            lines = [*_try([*islice(filter(None, mutants), arguments.sample)], coverage_map, pool)]
    print(*format_report(lines), sep="\n")


def _update_coverage(directory: Path) -> CoverageMap:
    """Measure the tests that have changed, or that run what has changed."""
    file = CACHE / "coverage"
    result = msgspec.msgpack.decode(file.read_bytes(), type=CoverageMap) if file.exists() else CoverageMap()
    digests = digest_files(ROOT)
    stale = [path for path in result.stale_files(digests) if not path.startswith(NOT_MEASURED)]
    if stale:
        print(f"measuring which lines the tests of {len(stale)} files run", flush=True)
        project = directory / "measured"
        copy_project(ROOT, project)
        result.update(measure(project, stale, PROCESSES), stale, digests)
        file.write_bytes(msgspec.msgpack.encode(result))
    return result


def _try(mutants: Sequence[Mutant], coverage_map: CoverageMap, pool: ProcessPoolExecutor) -> Iterator[Line]:
    """Try the mutants whose results are not known or no longer hold."""
    file = CACHE / "results.json"
    results = msgspec.json.decode(file.read_bytes(), type=dict[str, Result]) if file.exists() else {}
    equivalents = {(one.path, one.before, one.after) for one in read_equivalents()}
    durations, importers = coverage_map.durations_by_name(), find_importers(ROOT)
    running: dict[Future[tuple[Outcome, str | None]], tuple[Mutant, list[str]]] = {}
    for mutant in mutants:
        mutation, before, after = mutant.mutation, mutant.before, mutant.after
        line = Line(mutation.path, mutation.line, before, after, None)
        if (mutation.path, before, after) in equivalents:
            yield line
            continue
        selected = coverage_map.select_tests(mutation.path, mutation.lines, importers.get(mutation.path, ()))
        tests = within_budget(selected, mutation.path, durations)
        known = results.get(mutation.key)
        if known is not None and known.state == _digest(coverage_map, [known.test] if known.test else tests):
            yield line._replace(outcome=known.outcome)
        elif not tests:
            yield line._replace(outcome=Outcome.SURVIVED)
        else:
            timeout_s = 60 + sum(durations[test] for test in tests)  # measuring takes longer
            running[pool.submit(run_in_worker, mutation.path, mutant.source, tests, timeout_s)] = mutant, tests
    for done, future in enumerate(as_completed(running), 1):
        mutant, tests = running[future]
        outcome, test = future.result()
        results[mutant.mutation.key] = Result(outcome, test, _digest(coverage_map, [test] if test else tests))
        file.write_bytes(msgspec.json.format(msgspec.json.encode(results)))
        print(f"{done}/{len(running)} {mutant.mutation.path}:{mutant.mutation.line} {outcome}", flush=True)
        yield Line(mutant.mutation.path, mutant.mutation.line, mutant.before, mutant.after, outcome)


def _digest(coverage_map: CoverageMap, tests: Sequence[str]) -> str:
    """Return the digest of the names of tests and of the files that they are in."""
    files = sorted({test.partition("::")[0] for test in tests})
    return sha256(repr([*tests, *(coverage_map.digests[file] for file in files)]).encode()).hexdigest()


if __name__ == "__main__":
    main()

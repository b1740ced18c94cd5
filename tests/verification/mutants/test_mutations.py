"""Which mistakes are made, of which lines, and which of them a sample takes. Needs mutmut."""

from types import ModuleType
from typing import Any

import pytest

from tests import tools

SOURCE = '''
@lru_cache(maxsize=9)
def close(task, names, limit=3):
    """Close 1 thing."""
    if task is None or len(names) > limit:
        return
    logger.info("closing %d", 1)
    task.cancel(
        msg="closed",
    )
    del names[0]
'''


@pytest.fixture
def mutations() -> ModuleType:
    tools.require(tools.MUTMUT)
    from tests.verification.mutants import mutations  # noqa: PLC0415  only where mutmut is there

    return mutations


def mutants_of(mutations: ModuleType, source: str) -> list[Any]:
    return [mutations.apply(one, source) for one in mutations.find_mutations("service/x.py", source)]


def test_mistakes_of_every_kind(mutations: ModuleType) -> None:
    found = {(one.mutation.line, one.mutation.operator): one.after for one in mutants_of(mutations, SOURCE)}
    assert found == {
        (3, "number"): "def close(task, names, limit=4):",
        (5, "negate_condition"): "if not (task is None or len(names) > limit):",
        (5, "swap_op"): "if task is None or len(names) >= limit:",
        (5, "keywords"): "if task is not None or len(names) > limit:",
        (8, "remove_statement"): "pass",
        (8, "forget_argument"): ")",
        (11, "remove_statement"): "pass",
        (11, "number"): "del names[1]",
    }


def test_a_mistake_in_a_function_knows_the_lines_of_its_statement(mutations: ModuleType) -> None:
    lines = {one.line: one.lines for one in mutations.find_mutations("service/x.py", SOURCE)}
    assert lines == {3: None, 5: (5, 5), 8: (8, 10), 11: (11, 11)}


def test_a_mutated_module_has_one_mistake(mutations: ModuleType) -> None:
    for mutant in mutants_of(mutations, SOURCE):
        assert mutant.source != SOURCE
        compile(mutant.source, "x.py", "exec")


def test_a_sample_has_one_mistake_a_line_and_is_the_same_after_other_changes(mutations: ModuleType) -> None:
    sample = mutations.sample(mutations.find_mutations("service/x.py", SOURCE), seed=1)
    assert sorted(one.line for one in sample) == [3, 5, 8, 11]
    moved = mutations.sample(mutations.find_mutations("service/x.py", f"# moved\n{SOURCE}"), seed=1)
    assert [one.key for one in moved] == [one.key for one in sample]
    other = [mutations.sample(mutations.find_mutations("service/x.py", SOURCE), seed) for seed in range(2, 9)]
    assert any([one.key for one in sample] != [one.key for one in another] for another in other)

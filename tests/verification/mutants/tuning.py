"""Which mutants only tune: they change the number of a limit, a time or a batch size that no page promises."""

import re

from tests.tools import ROOT

_NAME = re.compile(
    r"_?(?:MAX_\w+|(?:\w+_)?(?:TIMEOUT|TTL|INTERVAL|DELAY|AGE)_S|(?:\w+_)?(?:BATCH|SAMPLE|PAGE)_SIZE|BACKOFF)"
)

_NUMBER = re.compile(r"\b\d[\d_]*(?:\.\d+)?\b")

_PROMISED = frozenset(re.findall(r"\w+", (ROOT / "tests" / "docs" / "test_figures.py").read_text(encoding="utf-8")))
"""The test that compares figures of pages with the code names each constant that it compares."""


def is_tuning(path: str, before: str, after: str) -> bool:
    """Return whether a mutant changes only numbers of such constants; those of the rules are no matter of tuning."""
    names = [name.partition(":")[0] for name in before.partition(" = ")[0].split(", ")]
    return (
        not path.startswith("service/engine/")
        and _NUMBER.sub("0", before) == _NUMBER.sub("0", after)
        and all(_NAME.fullmatch(name) and name not in _PROMISED for name in names)
    )

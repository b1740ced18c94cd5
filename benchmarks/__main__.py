"""`python -m benchmarks`: the engine's figures, then the service's, as the Markdown table of the README."""

import argparse
import os
import platform
import tempfile
import time
from pathlib import Path

import uvloop

from benchmarks.engine import engine_figures
from benchmarks.processes import OTHER_CORE, on_core
from benchmarks.report import Figure, table
from benchmarks.service import service_figures
from service.store.embedded import embedded


def main() -> None:
    """Measure what is asked for and print it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("part", nargs="?", choices=("all", "engine", "service"), default="all")
    part = parser.parse_args().part
    print(f"{time.strftime('%Y-%m-%d')}, {_machine()}, Python {platform.python_version()}\n")
    with on_core(OTHER_CORE):
        figures = engine_figures() if part in ("all", "engine") else []
        if part in ("all", "service"):
            figures += uvloop.run(_service())
    print(table(figures))


async def _service() -> list[Figure]:
    with tempfile.TemporaryDirectory() as directory:
        async with embedded(Path(directory)) as server:
            return await service_figures(server.url)


def _machine() -> str:
    with Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return f"{os.cpu_count()} cores of {model or platform.machine()}"


if __name__ == "__main__":
    main()

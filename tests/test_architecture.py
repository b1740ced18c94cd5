"""ARCHITECTURE.md names rooms, classes and functions that exist."""

import re
from importlib.util import find_spec
from pkgutil import resolve_name

from tests.tools import ROOT

TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_every_package_room_and_function_exists() -> None:
    names = re.findall(r"`((?:service|schemas|engine|games|web|telemetry|store)(?:\.\w+)+)`", TEXT)
    full = {name if name.startswith(("service", "schemas")) else f"service.{name}" for name in names}
    assert len(full) > 30
    for name in full:
        assert resolve_name(name) is not None


def test_rooms_that_the_table_names_exist() -> None:
    rooms = {
        f"{package}.{room}"
        for package, holds in re.findall(r"^\| `(service\.\w+)` \|([^|]*)\|", TEXT, re.MULTILINE)
        for room in re.findall(r"`([a-z_]+)`", holds)
    }
    assert len(rooms) > 30
    assert [room for room in rooms if find_spec(room) is None and room not in DATA] == []


DATA = {"service.web.static", "service.store.scripts"}
"""Folders without code."""

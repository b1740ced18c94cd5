"""ARCHITECTURE.md names rooms that exist, and draws little."""

import re
from importlib.util import find_spec

from tests.tools import ROOT

TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_every_package_and_room_exists() -> None:
    names = re.findall(r"`((?:service|schemas|games|web|telemetry|store)(?:\.\w+)+)`", TEXT)
    rooms = {name if name.startswith(("service", "schemas")) else f"service.{name}" for name in names}
    assert len(rooms) > 10
    assert [room for room in rooms if find_spec(room) is None] == []
    drawn = re.findall(r"participant \w+ as ((?:games|web)\.\w+)$", TEXT, re.MULTILINE)
    assert [room for room in drawn if find_spec(f"service.{room}") is None] == []


def test_one_diagram_has_at_most_eight_participants() -> None:
    assert TEXT.count("```mermaid") == 1
    assert len(re.findall(r"^  participant ", TEXT, re.MULTILINE)) <= 8

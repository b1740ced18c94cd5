"""The alerts fire when they should: promtool runs `alerts.yaml`."""

from pathlib import Path
from typing import Any

import yaml

from tests.telemetry.promtool import promtool
from tests.tools import ROOT

RULES = ROOT / "deploy" / "observability" / "prometheus"
TESTS = Path(__file__).with_name("alerts.yaml")


def load(file: Path) -> Any:
    return yaml.safe_load(file.read_text())


def test_each_alert_fires_for_its_cause_and_none_without() -> None:
    assert "SUCCESS" in promtool("check", "config", str(RULES / "prometheus.yaml"))
    assert "SUCCESS" in promtool("test", "rules", str(TESTS))


def test_every_alert_has_a_case_and_a_severity() -> None:
    alerts = {rule["alert"]: rule for group in load(RULES / "alerts.yaml")["groups"] for rule in group["rules"]}
    assert [test["name"] for test in load(TESTS)["tests"]] == [*alerts, "calm"]
    assert {alert["labels"]["severity"] for alert in alerts.values()} == {"page", "ticket"}

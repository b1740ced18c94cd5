"""The alerts fire when they should: promtool runs the rules on the series of `alert_series`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.telemetry.alert_series import CASES, Series
from tests.telemetry.promtool import promtool
from tests.tools import ROOT

RULES = ROOT / "deploy" / "observability" / "prometheus"
FILES = ("rules.yaml", "alerts.yaml")


def rules(file: str) -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load((RULES / file).read_text())["groups"] for rule in group["rules"]]


ALERTS = {rule["alert"]: rule for rule in rules("alerts.yaml")}


def test_promtool_accepts_the_rules_and_the_configuration() -> None:
    assert "SUCCESS" in promtool("check", "rules", *(str(RULES / file) for file in FILES))
    assert "SUCCESS" in promtool("check", "config", str(RULES / "prometheus.yaml"))


def test_every_alert_has_a_case() -> None:
    assert {*CASES} == {*ALERTS}


def make_promtool_test(name: str, series: Series, expected: Sequence[tuple[int, str, int]]) -> dict[str, Any]:
    """Return a test for promtool: after how many minutes how many alerts of a name fire."""
    return {
        "name": name,
        "interval": "1m",
        "input_series": [{"series": one, "values": values} for one, values in series.items()],
        "promql_expr_test": [
            {
                "expr": f'count(ALERTS{{alertname=~"{alert or ".*"}", alertstate="firing"}})',
                "eval_time": f"{minutes}m",
                "exp_samples": [{"labels": "{}", "value": times}] if times else [],
            }
            for minutes, alert, times in expected
        ],
    }


def play(tmp_path: Path, tests: Sequence[dict[str, Any]]) -> None:
    file = tmp_path / "tests.yaml"
    file.write_text(yaml.safe_dump({"rule_files": [str(RULES / one) for one in FILES], "tests": [*tests]}))
    assert "SUCCESS" in promtool("test", "rules", str(file))


def group_cases() -> list[list[str]]:
    """Return the cases in groups that share no metric, so that they do not affect each other."""
    groups: list[tuple[set[str], list[str]]] = []
    for name, case in CASES.items():
        metrics = {series.partition("{")[0] for series in case.firing}
        result = next((group for group in groups if not group[0] & metrics), None)
        if result is None:
            groups.append(result := (set(), []))
        result[0].update(metrics)
        result[1].append(name)
    return [names for _, names in groups]


def test_each_alert_fires_when_it_should(tmp_path: Path) -> None:
    tests = []
    for names in group_cases():
        series = {one: values for name in names for one, values in CASES[name].firing.items()}
        tests.append(make_promtool_test(" ".join(names), series, [(CASES[name].minutes, name, 1) for name in names]))
    assert sum(len(test["promql_expr_test"]) for test in tests) == len(CASES)
    play(tmp_path, tests)


def test_no_alert_fires_without_its_cause(tmp_path: Path) -> None:
    calm = {series: values for case in CASES.values() for series, values in case.calm.items()}
    play(tmp_path, [make_promtool_test("calm", calm, [(minutes, "", 0) for minutes in range(1, 60)])])

"""A real Prometheus scrapes the service, and has data for every query of dashboard and alerts."""

import re
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import yaml
from prometheus_client import Gauge, Info

from service.telemetry import metrics
from service.telemetry.counters import Counter, Histogram
from tests.polling import wait_until
from tests.telemetry.observed_instances import start_observed_instances
from tests.tools import ROOT

DASHBOARD: dict[str, Any] = msgspec.json.decode(
    (ROOT / "deploy" / "observability" / "grafana" / "south-seas.json").read_bytes()
)
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
QUERIES = [(f"{panel['title']}, {one['refId']}", one["expr"]) for panel in PANELS for one in panel["targets"]]

OURS = {
    described.name
    for metric in vars(metrics).values()
    if isinstance(metric, Counter | Gauge | Histogram | Info)
    for described in metric.describe()
}


def substitute_variables(expression: str) -> str:
    """Return an expression with Grafana's variables set to everything."""
    expression = re.sub(r"\$(namespace|job|instance)\b", ".*", expression)
    return expression.replace("$__rate_interval", "30s")


def metric_names(expression: str) -> set[str]:
    """Return the metrics that an expression names."""
    return {*re.findall(r"\b(?:south_seas_|process_|namespace_job[a-z_]*:)[\w:]+", re.sub(r'"[^"]*"', "", expression))}


async def query_api(session: aiohttp.ClientSession, path: str, **parameters: str) -> Any:
    async with session.get(f"/api/v1/{path}", params=parameters) as response:
        answer = await response.json()
    assert answer["status"] == "success", answer
    return answer["data"]


async def all_targets_are_up(session: aiohttp.ClientSession) -> bool:
    """Return whether the latest scrapes of both instances succeeded; on a busy machine one may take too long."""
    targets = (await query_api(session, "targets"))["activeTargets"]
    return [target["health"] for target in targets] == ["up", "up"]


async def test_prometheus_has_data_for_dashboard_and_rules(redis_url: str, tmp_path: Path) -> None:
    async with start_observed_instances(redis_url, tmp_path) as url, aiohttp.ClientSession(url) as session:
        await wait_until(lambda: all_targets_are_up(session))
        names = {*await query_api(session, "label/__name__/values")}
        await check_rules(session, names)
        await check_dashboard(session, names)
        await check_few_series(session)


async def check_dashboard(session: aiohttp.ClientSession, names: set[str]) -> None:
    """Check that every query of the dashboard names existing metrics and returns data."""
    quiet = set()
    for panel, expression in QUERIES:
        assert metric_names(expression) <= names, panel
        query = substitute_variables(expression)
        assert "$" not in query
        if not (await query_api(session, "query", query=query))["result"]:
            quiet.add(panel)
    assert not quiet


async def check_rules(session: aiohttp.ClientSession, names: set[str]) -> None:
    """Check that all rules use existing metrics, are evaluated, and do not fire."""

    async def are_evaluated() -> bool:
        groups = (await query_api(session, "rules"))["groups"]
        return all(rule["health"] != "unknown" for group in groups for rule in group["rules"])

    await wait_until(are_evaluated)
    groups = (await query_api(session, "rules"))["groups"]
    rules = [rule for group in groups if not group["file"].endswith("/infrastructure.yaml") for rule in group["rules"]]
    assert len(rules) > 40
    assert [(rule["name"], rule["lastError"]) for rule in rules if rule["health"] != "ok"] == []
    assert [rule["name"] for rule in rules if rule.get("state") == "firing"] == []
    recorded = {rule["name"] for rule in rules if rule["type"] == "recording"}
    for rule in rules:
        assert metric_names(rule["query"]) <= names | recorded, rule["name"]


async def check_few_series(session: aiohttp.ClientSession) -> None:
    """Check that an instance has some hundred series, none with a game's id."""
    (one,) = (await query_api(session, "query", query='max(count by (instance) ({__name__=~"south_seas_.+"}))'))[
        "result"
    ]
    assert int(one["value"][1]) < 2000
    routes = await query_api(session, "label/route/values")
    assert "/v1/games/{id}/actions" in routes
    assert not [route for route in routes if re.search(r"/v1/games/(?!\{id\})", route)]


def test_every_metric_is_shown() -> None:
    dashboard = "".join(expression for _, expression in QUERIES)
    for name in OURS:
        assert name in dashboard, f"{name} is not on the dashboard"


def test_the_dashboard_is_consistent() -> None:
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len({*ids}) == len(ids)
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        assert place["x"] + place["w"] <= 24
        taken |= cells
    for panel in PANELS:
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        assert panel["description"], panel["title"]
        references = [one["refId"] for one in panel["targets"]]
        assert len({*references}) == len(references)
    assert [one["name"] for one in DASHBOARD["templating"]["list"]] == ["datasource", "namespace", "job", "instance"]
    assert (DASHBOARD["uid"], DASHBOARD["schemaVersion"]) == ("south-seas", 39)


def test_the_example_configuration_names_existing_files() -> None:
    folder = ROOT / "deploy" / "observability" / "prometheus"
    for file in yaml.safe_load((folder / "prometheus.yaml").read_text())["rule_files"]:
        assert (folder / file).is_file()

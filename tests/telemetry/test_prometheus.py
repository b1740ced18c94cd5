"""Prometheus has data for every query of dashboard and alerts, which fire in time and for nothing else."""

import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest
import yaml
from prometheus_client import Gauge, Info

from service.telemetry import metrics
from service.telemetry.counters import Counter, Histogram
from tests.polling import wait_until
from tests.telemetry.observed_instances import RULES, promtool, start_observed_instances
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
    for panel, expression in QUERIES:
        assert metric_names(expression) <= names, panel
        query = substitute_variables(expression)
        assert "$" not in query
        assert (await query_api(session, "query", query=query))["result"], panel


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
    counted = await query_api(session, "query", query='max(count by (instance) ({__name__=~"south_seas_.+"}))')
    assert int(counted["result"][0]["value"][1]) < 2000
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
        across, down = range(place["x"], place["x"] + place["w"]), range(place["y"], place["y"] + place["h"])
        cells = {*product(across, down)}
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
    for file in load(RULES / "prometheus.yaml")["rule_files"]:
        assert (RULES / file).is_file()


FILES = [str(RULES / file) for file in ("rules.yaml", "alerts.yaml", "infrastructure.yaml")]

SCRAPE_S = 15
CALM_SCRAPES = 40


def load(file: Path) -> Any:
    return yaml.safe_load(file.read_text())


# Loaded as texts: YAML reads +5 as 5.
CASES = yaml.load(Path(__file__).with_name("alerts.yaml").read_text(), Loader=yaml.BaseLoader)  # noqa: S506  it makes texts
ALERTS = {
    rule["alert"]: rule
    for file in FILES
    for group in load(Path(file))["groups"]
    for rule in group["rules"]
    if "alert" in rule
}


def values(level: Callable[[int], str], scrapes: int) -> str:
    """Return the samples of a series: the level of each scrape, `stale`, or by how much a counter grows."""
    total, samples = 0.0, []
    for word in map(level, range(scrapes)):
        if word == "stale":
            total = 0.0
        elif word.startswith("+"):
            total += float(word)
        samples.append(f"{total:g}" if word.startswith("+") else word)
    return " ".join(samples)


def series(level: Callable[[str, str, str], Callable[[int], str]], scrapes: int) -> Iterator[dict[str, str]]:
    """Yield all series of two deployments, of two instances each.

    `level` is called with the deployment, the instance and the series; what it returns, with the number of each scrape.
    """
    for name, namespace, instance in product(CASES["calm"], ("east", "west"), ("one", "two")):
        if instance == "one" or name.startswith(("up", "south_seas_", "process_")):
            metric, _, labels = name.removesuffix("}").partition("{")
            where = f'namespace="{namespace}",job="south-seas",instance="{instance}"'
            labels = ",".join(filter(None, (labels, where))).replace("EXPORTED", namespace)
            yield {"series": f"{metric}{{{labels}}}", "values": values(level(namespace, instance, name), scrapes)}


def run(tmp_path: Path, test: dict[str, Any]) -> None:
    """Let promtool run a test that evaluates the rules with each scrape."""
    file = tmp_path / "tests.yaml"
    document = {"rule_files": FILES, "evaluation_interval": test["interval"], "tests": [test]}
    file.write_text(yaml.safe_dump(document, width=10**9))
    assert "SUCCESS" in promtool("test", "rules", str(file))


def expect(seconds: float, expression: str, *labels: str) -> dict[str, Any]:
    """Return the test that an expression has the value 1 for these labels, and no other, at a time."""
    samples = [{"labels": one, "value": 1} for one in labels]
    return {"eval_time": f"{seconds:g}s", "expr": expression, "exp_samples": samples}


@pytest.mark.parametrize("case", CASES["faults"])
def test_an_alert_fires_in_time_for_the_deployment_with_the_fault(case: str, tmp_path: Path) -> None:
    fault, alert = CASES["faults"][case], case.partition(",")[0]
    within_s, instances = int(fault["within"]), ("one", "two")[: int(fault.get("instances", 1))]
    named = instances if "not" in fault else ()
    scrape_s = SCRAPE_S if within_s <= 300 else 60
    # The fault comes just after a scrape, and an evaluation just before one.
    fires_at = CALM_SCRAPES * scrape_s + within_s - 2 * scrape_s

    def level(namespace: str, instance: str, name: str) -> Callable[[int], str]:
        faulty = name in fault["series"] and namespace == "east" and instance in instances
        return lambda scrape: (fault["series"] if faulty and scrape >= CALM_SCRAPES else CASES["calm"])[name]

    assert {*fault["series"]} <= {*CASES["calm"]}
    firing = f'ALERTS{{alertname="{alert}",alertstate="firing"}}'
    test = {
        "interval": f"{scrape_s}s",
        "input_series": [*series(level, fires_at // scrape_s + 1)],
        "promql_expr_test": [
            expect((CALM_SCRAPES - 1) * scrape_s, 'count_over_time(ALERTS{alertstate="firing"}[1d])'),
            expect(fires_at, f"group by (namespace) ({firing})", '{namespace="east"}'),
            *(expect(fires_at, f"group by (instance) ({firing})", f'{{instance="{one}"}}') for one in named),
            *(expect(fires_at, f'ALERTS{{alertname="{one}",alertstate="firing"}}') for one in fault.get("not", ())),
            expect(fires_at, 'count_over_time(ALERTS{namespace="west",alertstate="firing"}[1d])'),
        ],
    }
    run(tmp_path, test)


def test_nothing_fires_in_calm_in_rolling_restarts_and_in_a_failover(tmp_path: Path) -> None:
    """East restarts its processes in place, west replaces its pods; then both have a failover."""
    restarts = {("east", "one"): 40, ("east", "two"): 60, ("west", "one"): 40, ("west", "two"): 60}
    failover_at = 100

    def level(namespace: str, instance: str, name: str) -> Callable[[int], str]:
        restarts_at = restarts[namespace, instance]
        is_of_process = name.startswith(("south_seas_", "process_"))

        def one(scrape: int) -> str:
            if scrape == restarts_at and name == "up":
                return "0" if namespace == "east" else "stale"
            if scrape == restarts_at and is_of_process:
                return "stale"
            if scrape > restarts_at and name == "process_start_time_seconds":
                return "2"
            return str({**CASES["calm"], **(CASES["failover"] if scrape == failover_at else {})}[name])

        return one

    calm = {
        "interval": f"{SCRAPE_S}s",
        "input_series": [*series(level, 160)],
        "promql_expr_test": [expect(159 * SCRAPE_S, 'count_over_time(ALERTS{alertstate="firing"}[1h])')],
    }
    run(tmp_path, calm)


def test_a_service_that_never_came_is_absent_and_every_alert_links_its_runbook(tmp_path: Path) -> None:
    """The base of the links is one setting of the rules."""
    alert = ALERTS["SouthSeasAbsent"]
    annotations = {name: re.sub(r"\{\{ \$labels.job \}\}", "", text) for name, text in alert["annotations"].items()}
    annotations["runbook_url"] = "https://south-seas.example.com/docs/runbooks/#southseasabsent"
    expected = {"exp_labels": alert["labels"], "exp_annotations": annotations}
    never = {
        "interval": "15s",
        "input_series": [{"series": "up", "values": "1x20"}],
        "alert_rule_test": [{"alertname": "SouthSeasAbsent", "eval_time": "1m", "exp_alerts": [expected]}],
    }
    run(tmp_path, never)
    template = '{{ with query "south_seas:runbooks" }}{{ . | first | label "url" }}{{ end }}'
    for name, rule in ALERTS.items():
        assert rule["annotations"]["runbook_url"] == f"{template}#{name.lower()}"


def test_every_alert_has_a_case_and_a_severity() -> None:
    assert list(dict.fromkeys(case.partition(",")[0] for case in CASES["faults"])) == [*ALERTS]
    assert {alert["labels"]["severity"] for alert in ALERTS.values()} == {"page", "ticket"}
    assert "SUCCESS" in promtool("check", "config", str(RULES / "prometheus.yaml"))


def test_no_alert_mixes_deployments() -> None:
    """Every aggregation is by namespace, and by job where the metric is the service's own."""
    for file in FILES:
        for rule in [rule for group in load(Path(file))["groups"] for rule in group["rules"]]:
            aggregations = re.findall(r"\b(?:sum|min|max|count|group|avg)\b(?: by)? ?\(([^)]*)\)", rule["expr"])
            assert all(labels.startswith(("namespace, job", "namespace, ingress")) for labels in aggregations), rule

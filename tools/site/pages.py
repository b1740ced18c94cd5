"""Pages of the site that a code host shows as the files that they are made of."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import yaml
from prometheus_client import Gauge, Info

from benchmarks.growth_plot import growth_plot
from benchmarks.report import report_lines
from benchmarks.results import load_result
from service.main import cli
from service.telemetry import metrics as service_metrics
from service.telemetry.counters import Counter, Histogram
from tools.site.faults import fault_table

__all__ = ["ALERTS", "PAGES", "Page"]

ROOT = Path(__file__).parents[2]
ALERTS = ("deploy/observability/prometheus/alerts.yaml", "deploy/observability/prometheus/infrastructure.yaml")

METRIC_SUFFIXES = {"counter": "_total", "info": "_info"}

_ALERT = re.compile(r"\bSouthSeas\w+")


def settings() -> Iterator[str]:
    """Yield all settings of `south-seas serve` as a table."""
    yield "# Settings\n"
    yield "[Deploy and operate](operating.md#settings) says how to set them.\n"
    serve = cli.commands["serve"]
    yield "| Variable | Default | |"
    yield "|---|---|---|"
    for option in serve.params:
        if isinstance(option, click.Option) and option.envvar:
            default = option.get_help_extra(click.Context(serve)).get("default", "").strip("()")
            text = (option.help or "").replace("|", r"\|")
            yield f"| `{option.envvar}` | {f'`{default}`' if default else ''} | {text} |"


def metrics() -> Iterator[str]:
    """Yield the service's own metrics as a table, each with what the export says of it."""
    yield "# All metrics\n"
    yield "All names start with `south_seas_`. [Metrics, traces, logs](observing.md#metrics) says how to use them.\n"
    yield "| Metric | Labels | Meaning |"
    yield "|---|---|---|"
    for constant, metric in vars(service_metrics).items():
        if constant.isupper() and isinstance(metric, Counter | Gauge | Histogram | Info):
            (described,) = metric.describe()
            name = described.name.removeprefix("south_seas_") + METRIC_SUFFIXES.get(described.type, "")
            labels = ", ".join(metric._labelnames)  # noqa: SLF001  no public way says them before the first event
            yield f"| `{name}` | {labels} | {described.documentation} |"


def runbooks() -> Iterator[str]:
    """Yield a section for each alert, made of its annotations."""
    yield "# Runbooks\n"
    yield "[Metrics, traces, logs](observing.md#runbooks) says how to use them.\n"
    for file in ALERTS:
        for group in yaml.safe_load((ROOT / file).read_text(encoding="utf-8"))["groups"]:
            for rule in group["rules"]:
                yield from _runbook(rule)


def _runbook(rule: dict[str, Any]) -> Iterator[str]:
    notes = {name: _with_links(rule["annotations"][name]) for name in ("means", "look_at", "do")}
    yield f"## {rule['alert']}\n"
    yield f"**{rule['labels']['severity'].title()}.** {notes['means']}\n"
    yield f"**Look at** {notes['look_at']}\n"
    yield f"**Do** {notes['do']}\n"


def _with_links(text: str) -> str:
    text = _ALERT.sub(lambda name: f"[{name[0]}](#{name[0].lower()})", text)
    return re.sub(r"docs/(\w+)\.md", r"[\1](\1.md)", text)


def faults() -> Iterator[str]:
    """Yield what each fault did, with dates and machine."""
    yield "# Results of faults\n"
    yield "`make faults` injects each of them: what players get, how soon somebody is told, and what is lost.\n"
    yield from fault_table()


def benchmarks() -> Iterator[str]:
    """Yield the last results of all benchmarks."""
    yield "# Benchmarks\n"
    yield "[Performance](performance.md#benchmarks) explains them.\n"
    yield "## The service\n"
    yield from report_lines(load_result("suite"))
    growth = load_result("growth")
    yield "\n## With more games\n"
    yield from growth_plot(growth)
    yield ""
    yield from report_lines(growth)
    yield "\n## Other engines and services\n"
    yield from report_lines(load_result("peers"))


def changelog() -> Iterator[str]:
    """Yield what changed in each release."""
    yield from (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()


class Page(NamedTuple):
    """A page, and the file to which links to it lead on a code host."""

    name: str
    source: str
    lines: Callable[[], Iterator[str]]


PAGES = (
    Page("settings", "service/settings.py", settings),
    Page("metrics", "service/telemetry/metrics.py", metrics),
    Page("runbooks", ALERTS[0], runbooks),
    Page("faults", "benchmarks/results/faults.json", faults),
    Page("benchmarks", "benchmarks/results/suite.json", benchmarks),
    Page("changelog", "CHANGELOG.md", changelog),
)

"""What pages of `docs/` take from the code when the site is built: `{{ name }}` is a figure or a generated part."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import click
import yaml
from prometheus_client import Gauge, Info

from benchmarks.capacity import capacity_table
from benchmarks.growth_plot import growth_plot
from benchmarks.report import format_value, report_lines
from benchmarks.results import load_result
from service.engine.tileset_validation import MAX_FILE_BYTES
from service.games import channel, webhook_delivery, webhook_payloads
from service.games.access import MIN_SECRET_LENGTH
from service.games.bots.registry import DECISION_TIMEOUT_S
from service.games.commands import execute, play
from service.games.due_work import RETRY_BACKOFF
from service.games.index_repair import SCAN_INTERVAL_S
from service.games.repository import MAX_CACHED_GAMES
from service.games.webhook_owner import MAX_SEAT_WEBHOOKS
from service.main import cli
from service.store.health import CLOCK_SAMPLES, MEASURE_INTERVAL_S
from service.store.schedule import GRACE_S
from service.store.webhooks import MAX_STORED_ATTEMPTS
from service.supervision import RestartPolicy
from service.telemetry import metrics as service_metrics
from service.telemetry.counters import Counter, Histogram
from service.web import renderer
from service.web.headers import MAX_BEARER_TOKENS
from service.web.images import MAX_WIDTH_PX
from service.web.limits import Limits
from service.web.server import HANDLER_TIMEOUT_S
from service.web.streaming import CLOSE_TIMEOUT_S
from tools.site.faults import fault_table
from tools.site.limits import api_limits, server_limits

__all__ = ["FIGURES", "PARTS", "fill_in"]

ROOT = Path(__file__).parents[2]
ALERTS = ("deploy/observability/prometheus/alerts.yaml", "deploy/observability/prometheus/infrastructure.yaml")

MIB = 2**20

METRIC_SUFFIXES = {"counter": "_total", "info": "_info"}

_LIMITS = Limits()

_MACRO = re.compile(r"\{\{ (\w+) \}\}")
_ALERT = re.compile(r"\bSouthSeas\w+")


def spell(*delays_s: float) -> str:
    """Return durations in words.

    >>> spell(5, 120, 3600)
    '5 s, 2 min and 1 h'
    """
    units = ((3600, "h"), (60, "min"), (1, "s"))
    *first, last = [
        next(f"{delay / size:g} {unit}" for size, unit in units if delay >= size or size == 1) for delay in delays_s
    ]
    return f"{', '.join(first)} and {last}" if first else last


_SUITE = load_result("suite")
_MEASURED = {figure.name: figure for figure in _SUITE.figures}
_ACTION, _REDIS_US = _MEASURED["action.cpu"], _MEASURED["stored.action.cpu"].median

FIGURES: dict[str, object] = {
    "action_micros": format_value(_ACTION.median),
    "bare_action_micros": format_value(median(_ACTION.ceiling or ())),
    "redis_commits": format_value(_MEASURED["redis.commits"].median),
    "redis_micros": format_value(_REDIS_US),
    "instances_per_redis": round(1e6 / _REDIS_US / _MEASURED["action.rate"].median),
    "max_undo_versions": f"{play.MAX_VERSIONS:,}",
    "max_bearer_tokens": MAX_BEARER_TOKENS,
    "min_secret_length": MIN_SECRET_LENGTH,
    "bot_decision_seconds": f"{DECISION_TIMEOUT_S:g}",
    "scan_interval": spell(SCAN_INTERVAL_S),
    "max_cached_games": f"{MAX_CACHED_GAMES:,}",
    "first_watchers": channel.BATCH_SIZE,
    "clock_interval": spell(MEASURE_INTERVAL_S),
    "clock_samples": CLOCK_SAMPLES,
    "normal_overdue": spell(GRACE_S),
    "task_restart_delays": f"{RestartPolicy().backoff.initial_s:g} to {spell(RestartPolicy().backoff.max_s)}",
    "game_retry_delays": f"{spell(RETRY_BACKOFF.initial_s)} to {spell(RETRY_BACKOFF.max_s)}",
    "close_timeout": spell(CLOSE_TIMEOUT_S + 1),
    "handler_timeout": spell(HANDLER_TIMEOUT_S),
    "max_picture_pixels": MAX_WIDTH_PX,
    "picture_cache_size": f"{renderer.MAX_CACHE_BYTES // MIB} MiB",
    "max_waiting_pictures": renderer.MAX_WAITING,
    "max_commit_attempts": execute.MAX_ATTEMPTS,
    "max_tileset_file": f"{MAX_FILE_BYTES // MIB} MiB",
    "max_webhooks": _LIMITS.max_webhooks,
    "max_seat_webhooks": MAX_SEAT_WEBHOOKS,
    "challenge_retry_delays": spell(*webhook_payloads.CHALLENGE_RETRY_DELAYS_S),
    "client_challenges": webhook_payloads.CLIENT_RATE.quota,
    "client_challenge_seconds": f"{webhook_payloads.CLIENT_RATE.window_s / webhook_payloads.CLIENT_RATE.quota:g}",
    "all_challenges": webhook_payloads.SITE_RATE.quota,
    "all_challenge_seconds": f"{webhook_payloads.SITE_RATE.window_s / webhook_payloads.SITE_RATE.quota:g}",
    "webhook_timeout": spell(_LIMITS.webhook_timeout_s),
    "webhook_retry_delays": spell(*webhook_delivery.RETRY_DELAYS_S),
    "max_stored_attempts": MAX_STORED_ATTEMPTS,
    "delivery_lease": spell(webhook_delivery.LEASE_TTL_S + 1),
}
"""Figures within sentences. Their names say what they are, for readers of the source on a code host."""


def settings() -> Iterator[str]:
    """Yield all settings of `south-seas serve` as a table."""
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
    for file in ALERTS:
        for group in yaml.safe_load((ROOT / file).read_text(encoding="utf-8"))["groups"]:
            for rule in group["rules"]:
                yield from _runbook(rule)


def _runbook(rule: dict[str, Any]) -> Iterator[str]:
    notes = {name: _with_links(rule["annotations"][name]) for name in ("means", "look_at", "do")}
    yield f"### {rule['alert']}\n"
    yield f"**{rule['labels']['severity'].title()}.** {notes['means']}\n"
    yield f"**Look at** {notes['look_at']}\n"
    yield f"**Do** {notes['do']}\n"


def _with_links(text: str) -> str:
    text = _ALERT.sub(lambda name: f"[{name[0]}](#{name[0].lower()})", text)
    return re.sub(r"docs/(\w+)\.md", r"[\1](\1.md)", text)


def client_methods() -> Iterator[str]:
    """Yield the method of each request in clients that openapi-generator makes, as a table."""
    yield "| Request | Method |"
    yield "|---|---|"
    for path, item in json.loads((ROOT / "schemas" / "openapi.json").read_bytes())["paths"].items():
        for method, operation in item.items():
            if operation["tags"] != ["service"]:
                api = "".join(word[0].upper() + word[1:] for word in operation["tags"][0].split())
                yield f"| `{method.upper()} {path}` | `{api}Api.{operation['operationId']}` |"


PARTS: dict[str, Callable[[], Iterator[str]]] = {
    "settings": settings,
    "metrics": metrics,
    "api_limits": api_limits,
    "server_limits": server_limits,
    "runbooks": runbooks,
    "client_methods": client_methods,
    "benchmarks_of_the_service": lambda: report_lines(_SUITE),
    "benchmarks_beside_others": lambda: report_lines(load_result("peers")),
    "benchmarks_of_growth": lambda: report_lines(load_result("growth")),
    "capacity": lambda: capacity_table(_SUITE),
    "faults": fault_table,
    "plot_of_growth": lambda: growth_plot(load_result("growth")),
}
"""Generated parts, each a paragraph of its own."""


def fill_in(text: str) -> str:
    """Return a page with figures and generated parts. Raise KeyError for an unknown name."""
    return _MACRO.sub(lambda macro: _value(macro[1]), text)


def _value(name: str) -> str:
    return "\n".join(PARTS[name]()) if name in PARTS else str(FIGURES[name])

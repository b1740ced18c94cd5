"""The figures and parts of pages that the code knows, by the names that they have in the pages."""

from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from benchmarks.capacity import capacity_table
from benchmarks.report import format_value
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
from service.store.health import CLOCK_SAMPLES, MEASURE_INTERVAL_S
from service.store.schedule import GRACE_S
from service.store.webhooks import MAX_STORED_ATTEMPTS
from service.supervision import RestartPolicy
from service.web import renderer
from service.web.headers import MAX_BEARER_TOKENS
from service.web.images import MAX_WIDTH_PX
from service.web.limits import Limits
from service.web.routes.service import UNREACHABLE_S
from service.web.server import HANDLER_TIMEOUT_S
from service.web.streams import CLOSE_TIMEOUT_S
from tools.docs.limits import api_limits, server_limits
from tools.docs.methods import python_methods, typescript_methods

__all__ = ["FIGURES", "PARTS"]

MIB = 2**20

REDIS_SETTINGS = Path(__file__).parents[2] / "deploy" / "redis"

_LIMITS = Limits()


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


def redis_settings() -> Iterator[str]:
    """Yield the settings of Redis, each with what the comment before it says."""
    yield "```text"
    for name in ("redis.conf", "sentinel.conf", "cluster.conf"):
        yield f"# {name}"
        why = ""
        for line in (REDIS_SETTINGS / name).read_text(encoding="utf-8").partition("\n\n")[2].splitlines():
            if line.startswith("#"):
                why = line
            else:
                yield f"{line:47} {why}".rstrip()
                why = ""
    yield "```"


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
    "unreachable": spell(UNREACHABLE_S),
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
"""Figures within sentences."""


PARTS: dict[str, Callable[[], Iterator[str]]] = {
    "api_limits": api_limits,
    "server_limits": server_limits,
    "capacity": lambda: capacity_table(_SUITE),
    "redis_settings": redis_settings,
    "python_methods": python_methods,
    "typescript_methods": typescript_methods,
}
"""Parts of lines of their own."""

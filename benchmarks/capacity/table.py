"""The capacity model's figures as Markdown, and where docs/scaling.md has them."""

import re
from collections.abc import Iterable, Iterator
from math import ceil
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchmarks.capacity.model import Costs, Load, predict

DOCUMENT = Path(__file__).parents[2] / "docs" / "scaling.md"
MARKED = re.compile(r"<!-- measured: (.+?) -->\n.*?<!-- end of measured -->", re.DOTALL)

BUSY = 0.6
"""How busy a core may be, so that answers do not wait, and another instance's load can be taken over."""
COST_NAMES = {
    "action_us": ("an action in the service", "µs"),
    "reload_us": ("more, where another instance acted last", "µs"),
    "delivery_us": ("a diff to one socket", "µs"),
    "hint_us": ("an action, for each other instance", "µs"),
    "follow_us": ("more, where that one has a socket of the game", "µs"),
    "redis_action_us": ("an action in Redis", "µs"),
    "redis_reload_us": ("more, where another instance acted last", "µs"),
    "redis_hint_us": ("more, for each other instance", "µs"),
    "redis_follow_us": ("more, where that one has a socket of the game", "µs"),
    "client_us": ("an action in the program that makes the load", "µs"),
    "diff_bytes": ("a diff, as a socket gets it", "bytes"),
    "snapshot_bytes": ("a finished game's state in Redis", "bytes"),
    "log_bytes": ("its log", "bytes"),
    "answers_bytes": ("answers kept for a day, had all actions an idempotency key", "bytes"),
    "socket_bytes": ("an idle socket", "bytes"),
    "instance_bytes": ("an instance at rest", "bytes"),
}


class Row(NamedTuple):
    """One load, as it was foretold and as it was."""

    instances: int
    rate: float
    sockets: int
    by_game: bool
    cells: list[tuple[float, float]]
    """Foretold and measured: service and Redis in cores, MB/s, p50 and p99 in ms."""


class Plan(NamedTuple):
    """A load to foretell."""

    title: str
    load: Load
    instances: int = 1


FAST = 1 / 10
"""Actions a second of a game that is played at one sitting."""
SLOW = 6 / 86_400
"""Of one that is played by mail, some moves a day."""
HOUR = 1 / 24
"""Of a day; archived games need not stay for longer."""
PLANS = (
    Plan("10,000 played at one sitting", Load(10_000, FAST, kept_days=HOUR, by_game=True)),
    Plan("1 million by mail", Load(1_000_000, SLOW, sockets_per_game=0.2, kept_days=7, by_game=True)),
    Plan("1 million at one sitting", Load(1_000_000, FAST, kept_days=HOUR, by_game=True)),
    Plan("100 million by mail", Load(100_000_000, SLOW, sockets_per_game=0.1, kept_days=7, by_game=True)),
    Plan("100 million at one sitting", Load(100_000_000, FAST, kept_days=HOUR, by_game=True)),
)


def costs_lines(costs: Costs) -> Iterator[str]:
    """What single steps cost."""
    yield from ("| step | | |", "|---|---|---|")
    for name, value in msgspec.structs.asdict(costs).items():
        title, unit = COST_NAMES[name]
        yield f"| {title} | {value:,.0f} | {unit} |"


def compared_lines(rows: Iterable[Row]) -> Iterator[str]:
    """Foretold / measured."""
    yield from _head(
        *("instances", "actions/s", "sockets a game", "kept together", "service, cores", "Redis, cores"),
        *("to sockets, MB/s", "p50, ms", "p99, ms"),
    )
    for row in rows:
        cells = " | ".join(f"{foretold:.2f} / {measured:.2f}" for foretold, measured in row.cells)
        yield f"| {row.instances} | {row.rate:.0f} | {row.sockets} | {'yes' if row.by_game else 'no'} | {cells} |"


def plan_lines(costs: Costs) -> Iterator[str]:
    """What loads take, each core busy to BUSY."""
    yield from _head(
        *("games", "actions/s", "cores of instances", "cores of Redis", "Redis memory"),
        *("of which finished games", "to sockets"),
    )
    for plan in PLANS:
        load, use = plan.load, predict(costs, plan.load, 1)
        playing = predict(costs, msgspec.structs.replace(load, kept_days=0), 1).redis_bytes
        yield (
            f"| {plan.title} | {load.actions_s:,.0f} | {ceil(use.service_cores / BUSY):,} "
            f"| {ceil(use.redis_cores / BUSY):,} | {_size(use.redis_bytes)} "
            f"| {1 - playing / use.redis_bytes:.0%} | {use.sent_bytes_s * 8 / 1e6:,.0f} Mbit/s |"
        )


def write(title: str, costs: Costs, rows: Iterable[Row], document: Path = DOCUMENT) -> None:
    """Put the figures into the document's three places."""
    tables = {"costs": costs_lines(costs), "compared": compared_lines(rows), "plans": plan_lines(costs)}

    def place(found: re.Match[str]) -> str:
        kind = found[1].partition(",")[0]
        return "\n".join([f"<!-- measured: {kind}, {title} -->", *tables[kind], "<!-- end of measured -->"])

    document.write_text(MARKED.sub(place, document.read_text(encoding="utf-8")), encoding="utf-8")


def _head(*columns: str) -> tuple[str, str]:
    return f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"


def _size(size: float) -> str:
    """In GB, or in TB where that is shorter.

    >>> _size(5e9), _size(12e12)
    ('5 GB', '12 TB')
    """
    return f"{size / 1e12:,.0f} TB" if size >= 1e13 else f"{size / 1e9:,.0f} GB"

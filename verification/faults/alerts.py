"""A real Prometheus with the shipped rules, in which nothing but waiting is shortened."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import yaml
from aiohttp import web

from tests.polling import in_background
from tests.telemetry.observed_instances import RULES, run_prometheus
from tests.tools import ROOT
from tools.site.pages import ALERTS

SCRAPE_INTERVAL_S = 1
"""Of the shipped 15 s, which may add up to 30 s to the time until an alert fires."""

MAX_FOR_S = 20
"""The longest `for` of a rule in a run. What a rule waits beyond it is added to the time that is reported."""

SHORT_AGES_S = {"SouthSeasArchiveBehind": 20}
"""Ages that expressions are shortened to, by alert."""

POLL_INTERVAL_S = 0.3
READY_TIMEOUT_S = 120.0

_DURATION = re.compile(r"(\d+)([smhd])")
_UNIT_S = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def parse_duration(text: str) -> int:
    """Return the seconds of a duration of Prometheus.

    >>> parse_duration("1h30m"), parse_duration("20s")
    (5400, 20)
    """
    return sum(int(number) * _UNIT_S[unit] for number, unit in _DURATION.findall(text))


class Rules:
    """The shipped rules, with less waiting."""

    def __init__(self) -> None:
        self.shortened_s: dict[str, int] = {}
        """By how many seconds each alert fires sooner than as shipped."""
        self.severities: dict[str, str] = {}
        files = (RULES / "rules.yaml", *(ROOT / file for file in ALERTS))
        documents = [yaml.safe_load(file.read_text(encoding="utf-8")) for file in files]
        groups = [group for document in documents for group in document.get("spec", document)["groups"]]
        for group in groups:
            group.pop("interval", None)
        for rule in (rule for group in groups for rule in group["rules"] if "alert" in rule):
            self._shorten(rule)
        self.text = yaml.safe_dump({"groups": groups})

    def _shorten(self, rule: dict[str, Any]) -> None:
        name, shipped_s = rule["alert"], parse_duration(rule.get("for", "0s"))
        rule["for"] = f"{min(shipped_s, MAX_FOR_S)}s"
        self.severities[name] = rule["labels"]["severity"]
        self.shortened_s[name] = max(0, shipped_s - MAX_FOR_S)
        if name in SHORT_AGES_S:
            expression, age_s = rule["expr"].rsplit("> ", 1)
            rule["expr"] = f"{expression}> {SHORT_AGES_S[name]}"
            self.shortened_s[name] += int(age_s) - SHORT_AGES_S[name]


class Alerts:
    """Which alerts have fired since the fault, and when first (`time.monotonic()`)."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.fault_at = 0.0
        self.fired_at: dict[str, float] = {}
        self.active: set[str] = set()
        """What fires now, or will unless its cause ends."""
        self._began = datetime.now(UTC)
        """The fault's time on the clock that Prometheus has too."""

    def begin_fault(self) -> None:
        """Note that the fault happens now, and forget what fired before it."""
        self.fault_at, self._began = time.monotonic(), datetime.now(UTC)
        self.fired_at.clear()

    def fired_after_s(self, name: str) -> float:
        """Return how long after the fault an alert fires as it is shipped, but for the interval of scrapes."""
        return self.fired_at[name] - self.fault_at + self.rules.shortened_s[name]

    async def wait_until_ready(self, url: str, instances: int) -> None:
        """Wait until Prometheus has metrics of all instances: it misses none that it has never seen."""
        query = {"query": "south_seas_build_info"}
        async with aiohttp.ClientSession() as session, asyncio.timeout(READY_TIMEOUT_S):
            while True:
                async with session.get(f"{url}/api/v1/query", params=query) as response:
                    if response.ok and len((await response.json())["data"]["result"]) == instances:
                        return
                await asyncio.sleep(POLL_INTERVAL_S)

    async def watch(self, url: str) -> None:
        """Ask Prometheus until cancelled."""
        async with aiohttp.ClientSession() as session:
            while True:
                async with session.get(f"{url}/api/v1/alerts") as response:
                    alerts = (await response.json())["data"]["alerts"]
                self.active = {alert["labels"]["alertname"] for alert in alerts}
                for alert in alerts:
                    is_of_fault = datetime.fromisoformat(alert["activeAt"]) >= self._began
                    if alert["state"] == "firing" and is_of_fault:
                        self.fired_at.setdefault(alert["labels"]["alertname"], time.monotonic())
                await asyncio.sleep(POLL_INTERVAL_S)


class KubeState:
    """Stands for kube-state-metrics: serves what it would say of the nightly backup."""

    def __init__(self) -> None:
        self.text = ""

    async def serve(self, _request: web.Request) -> web.Response:
        """Answer a scrape."""
        return web.Response(text=self.text)


@asynccontextmanager
async def start_alerts(directory: Path, metrics_ports: Sequence[int]) -> AsyncIterator[tuple[Alerts, KubeState]]:
    """Start Prometheus, and yield once it has scraped the instances."""
    rules, kube_state = Rules(), KubeState()
    file = directory / "rules.yaml"
    file.write_text(rules.text, encoding="utf-8")
    app = web.Application()
    app.router.add_get("/metrics", kube_state.serve)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    interval = f"{SCRAPE_INTERVAL_S}s"
    jobs = {"south-seas": metrics_ports, "kube-state-metrics": [runner.addresses[0][1]]}
    config = {
        "global": {"scrape_interval": interval, "scrape_timeout": interval, "evaluation_interval": interval},
        "rule_files": [str(file)],
        "scrape_configs": [
            {"job_name": job, "static_configs": [{"targets": [f"127.0.0.1:{port}" for port in ports]}]}
            for job, ports in jobs.items()
        ],
    }
    alerts = Alerts(rules)
    try:
        async with run_prometheus(directory, config) as url:
            await alerts.wait_until_ready(url, len(metrics_ports))
            async with in_background(alerts.watch(url)):
                yield alerts, kube_state
    finally:
        await runner.cleanup()

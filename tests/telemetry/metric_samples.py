"""Samples of metrics: of this process, and scraped from a service."""

import re

import aiohttp
from prometheus_client import REGISTRY
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as text_format

from tests.server_process import ServerProcess

OPENMETRICS = "application/openmetrics-text;version=1.0.0"

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]
"""Every sample by its name and labels."""


def read_samples() -> Samples:
    """Return the samples of this process."""
    samples = [sample for metric in REGISTRY.collect() for sample in metric.samples]
    return {(sample.name, frozenset(sample.labels.items())): sample.value for sample in samples}


def sum_samples(values: Samples, name: str, **labels: str) -> float:
    """Return the sum of a metric's samples with these labels; 0 if there are none."""
    wanted = set(labels.items())
    return sum(value for (result, has), value in values.items() if result == f"south_seas_{name}" and wanted <= has)


def grown(before: Samples, name: str, **labels: str) -> float:
    """Return by how much a metric of this process has grown since these samples were read."""
    return sum_samples(read_samples(), name, **labels) - sum_samples(before, name, **labels)


async def metrics_url(instance: ServerProcess) -> str:
    """Return the metrics URL that a service printed."""
    assert instance.process.stdout is not None
    async for line in instance.process.stdout:
        if result := re.search(rb"metrics: +(http://\S+)", line):
            return result[1].decode()
    raise AssertionError("the service ended before it told")


async def scrape(url: str, accept: str = OPENMETRICS) -> Samples:
    """Scrape a service in one of the two formats."""
    async with aiohttp.ClientSession() as session, session.get(url, headers={"Accept": accept}) as response:
        assert response.status == 200
        text = await response.text()
        assert response.headers["Content-Type"].startswith(accept.partition(";")[0])
    parse = openmetrics if accept == OPENMETRICS else text_format
    samples = [sample for family in parse(text) for sample in family.samples]
    return {(sample.name, frozenset(sample.labels.items())): sample.value for sample in samples}

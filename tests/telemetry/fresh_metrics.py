"""Prints the service's metrics before anything happens, with a series `x` of each that has labels.

`fresh_metrics.txt` is what they should be. After a change that is meant:
`python -m tests.telemetry.fresh_metrics > tests/telemetry/fresh_metrics.txt`.
"""

import sys
from contextlib import suppress

from prometheus_client import Gauge, generate_latest

from service.telemetry import metrics
from service.telemetry.counters import Counter, Histogram

if __name__ == "__main__":
    for metric in vars(metrics).values():
        for labels in range(1, 4) if isinstance(metric, Counter | Gauge | Histogram) else ():
            with suppress(ValueError):  # it has another number of labels
                metric.labels(*["x"] * labels)
    sys.stdout.writelines(
        line for line in generate_latest().decode().splitlines(keepends=True) if "south_seas_" in line
    )

"""The alerts as the Prometheus Operator takes them: `python -m tests.deploy.generated` writes them anew."""

from pathlib import Path
from typing import Any

import yaml

from tests.tools import ROOT

RULES = ROOT / "k8s" / "components" / "monitoring" / "rules.yaml"
ALERTS = ROOT / "deploy" / "observability" / "prometheus"


def rules() -> str:
    """Return all alerts as one resource."""
    files = _load(ALERTS / "prometheus.yaml")["rule_files"]
    groups = [group for file in files for group in _load(ALERTS / file)["groups"]]
    resource = {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": "south-seas", "labels": {"app.kubernetes.io/name": "south-seas"}},
        "spec": {"groups": groups},
    }
    comment = "# Made from deploy/observability/prometheus by `python -m tests.deploy.generated`; change it there.\n"
    return comment + yaml.safe_dump(resource, sort_keys=False, width=120)


def _load(file: Path) -> dict[str, Any]:
    result: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return result


def main() -> None:
    """Write the file."""
    RULES.write_text(rules(), encoding="utf-8")


if __name__ == "__main__":
    main()

"""The alerts as the Prometheus Operator takes them: `python -m tests.deploy.generated` writes them anew."""

from pathlib import Path

import yaml

from tests.tools import ROOT

RULES = ROOT / "k8s" / "components" / "monitoring" / "rules.yaml"
ALERTS = ROOT / "deploy" / "observability" / "prometheus"


def rules() -> str:
    """Return all alerts as one resource."""
    groups = [group for file in sorted(ALERTS.glob("*.y*ml")) for group in _groups(file)]
    resource = {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": "south-seas", "labels": {"app.kubernetes.io/name": "south-seas"}},
        "spec": {"groups": groups},
    }
    comment = "# Made from deploy/observability/prometheus by `python -m tests.deploy.generated`; change it there.\n"
    return comment + yaml.safe_dump(resource, sort_keys=False, width=120)


def _groups(file: Path) -> list[object]:
    result = yaml.safe_load(file.read_text(encoding="utf-8"))
    groups: list[object] = result.get("groups", [])
    return groups


def main() -> None:
    """Write the file."""
    RULES.write_text(rules(), encoding="utf-8")


if __name__ == "__main__":
    main()

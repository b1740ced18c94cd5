"""What is made of something else, so that nobody writes it twice: `python -m tests.deploy.generated` writes it anew.

docs/limits.md                          the tables of the settings that limit clients, and of the API's limits
k8s/components/monitoring/rules.yaml    the alerts as the Prometheus Operator takes them, from observability/
"""

from pathlib import Path

import yaml

from tests.docs import limits
from tests.docs.sections import with_section
from tests.tools import ROOT

LIMITS_PAGE = ROOT / "docs" / "limits.md"
RULES = ROOT / "k8s" / "components" / "monitoring" / "rules.yaml"
ALERTS = ROOT / "deploy" / "observability" / "prometheus"


def limits_page(text: str) -> str:
    """Return the page of limits with the current tables."""
    text = with_section(text, "limits of the API", limits.api_table())
    return with_section(text, "limits of a server", limits.settings_table())


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
    """Write all files."""
    LIMITS_PAGE.write_text(limits_page(LIMITS_PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    RULES.write_text(rules(), encoding="utf-8")


if __name__ == "__main__":
    main()

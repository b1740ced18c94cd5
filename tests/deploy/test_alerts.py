"""The alerts as a cluster gets them are valid, and each has a runbook."""

from pathlib import Path

import pytest
import yaml

from tests.deploy.manifests import PRODUCTION, list_resources
from tests.telemetry.promtool import promtool


@pytest.mark.parametrize("overlay", PRODUCTION)
def test_alerts_are_valid_have_a_runbook_and_a_name_of_their_own(overlay: str, tmp_path: Path) -> None:
    """The overlay sets where runbooks are, in the first rule of all."""
    names, urls = [], []
    for resource in list_resources(overlay, "PrometheusRule"):
        file = tmp_path / f"{resource['metadata']['name']}.yaml"
        file.write_text(yaml.safe_dump(resource["spec"]))
        promtool("check", "rules", str(file))
        rules = [rule for group in resource["spec"]["groups"] for rule in group["rules"]]
        urls += [rule["labels"]["url"] for rule in rules[:1] if rule.get("record") == "south_seas:runbooks"]
        for rule in [rule for rule in rules if "alert" in rule]:
            names.append(rule["alert"])
            assert rule["labels"]["severity"] in {"page", "ticket"}
            assert all(
                rule["annotations"][part]
                for part in ("runbook_url", "summary", "description", "means", "look_at", "do")
            )
    assert len(names) == len({*names}) > 10
    assert urls == ["https://south-seas.example.com/docs/observing/"]

"""The alerts as a cluster gets them are valid, and each has a runbook."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.manifests import PRODUCTION, list_resources
from tests.telemetry.promtool import promtool
from tests.tools import ROOT


def _alerts(overlay: str) -> Iterator[dict[str, Any]]:
    for resource in list_resources(overlay, "PrometheusRule"):
        for group in resource["spec"]["groups"]:
            yield from (rule for rule in group["rules"] if "alert" in rule)


def test_prometheus_takes_them(tmp_path: Path) -> None:
    for resource in list_resources("prod", "PrometheusRule"):
        file = tmp_path / f"{resource['metadata']['name']}.yaml"
        file.write_text(yaml.safe_dump(resource["spec"]))
        promtool("check", "rules", str(file))


@pytest.mark.parametrize("overlay", PRODUCTION)
def test_names_are_used_once(overlay: str) -> None:
    names = [alert["alert"] for alert in _alerts(overlay)]
    assert len(names) == len({*names}) > 10


def test_each_says_what_to_do_where_there_is_something_to_read() -> None:
    for alert in _alerts("prod"):
        page, _, heading = alert["annotations"]["runbook"].partition("#")
        text = (ROOT / page).read_text(encoding="utf-8")
        assert heading in {_slug(one) for one in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}
        assert alert["labels"]["severity"] in {"page", "ticket"}


def _slug(heading: str) -> str:
    """Return the anchor of a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")

"""The alerts as a cluster gets them are valid, and each has a runbook."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.manifests import PRODUCTION, list_resources
from tests.tools import PROMTOOL, ROOT, require


def _alerts(overlay: str) -> Iterator[dict[str, Any]]:
    for resource in list_resources(overlay, "PrometheusRule"):
        for group in resource["spec"]["groups"]:
            yield from (rule for rule in group["rules"] if "alert" in rule)


def test_prometheus_takes_them(tmp_path: Path) -> None:
    promtool = require(PROMTOOL)
    files = []
    for resource in list_resources("prod", "PrometheusRule"):
        files.append(tmp_path / f"{resource['metadata']['name']}.yaml")
        files[-1].write_text(yaml.safe_dump(resource["spec"]))
    checked = subprocess.run(
        [promtool, "check", "rules", *files], capture_output=True, text=True, check=False, timeout=60
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


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

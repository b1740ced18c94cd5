"""Games go on while instances are updated over a change of the schema, and rolled back."""

import zipfile
from pathlib import Path

import pytest

from service.release import REVISION
from tests.tools import ROOT
from verification.chaos.history import Acknowledged, DiffReceived, Disconnected
from verification.chaos.progress import Progress
from verification.chaos.releases import list_releases, make_trial_releases
from verification.chaos.run import Plan, run
from verification.chaos.test_short import FLAGS, QUICK


@pytest.mark.timeout(600)
async def test_no_request_fails_while_releases_expand_contract_and_go_back(short_path: Path, tmp_path: Path) -> None:
    former, expanded, contracted = make_trial_releases(tmp_path)
    releases = (expanded, former, expanded, contracted, expanded)
    plan = Plan(0, 1, "standalone", games=3, scenarios=QUICK, flags=FLAGS, releases=releases)
    result = await run(plan, short_path, Progress(lambda _: None))
    assert result.violations == []
    tally = result.tally
    assert len(tally.faults) == 3 * 4
    assert tally.counts[Acknowledged] > 300
    assert tally.counts[DiffReceived] > 300
    assert tally.counts[Disconnected] >= 3 * 4


@pytest.mark.timeout(600)
async def test_a_skipped_release_is_noticed(short_path: Path, tmp_path: Path) -> None:
    former, _, contracted = make_trial_releases(tmp_path)
    plan = Plan(0, 1, "standalone", games=4, scenarios=QUICK, flags=FLAGS, releases=(former, contracted))
    result = await run(plan, short_path, Progress(lambda _: None))
    assert any("503" in violation.detail for violation in result.violations), result.violations


def test_a_release_is_a_revision_a_directory_or_a_wheel(tmp_path: Path) -> None:
    old, this, *_ = list_releases("HEAD", tmp_path)
    assert this == ROOT
    assert (old / "service" / "revision.txt").read_text() == f"{REVISION}\n"
    assert (old / "schemas" / "openapi.json").exists()
    assert list_releases(str(old), tmp_path)[0] == old
    wheel = tmp_path / "release-1.0.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("service/__init__.py", "")
    assert (list_releases(str(wheel), tmp_path)[0] / "service" / "__init__.py").exists()
    with pytest.raises(ValueError, match="git archive: "):
        list_releases("no-such-tag", tmp_path)

"""`make sbom` lists what the image contains."""

import re
from pathlib import Path

import msgspec

from tests.tools import ROOT, run


def test_it_lists_every_locked_package_of_the_image_with_its_version_and_hashes(tmp_path: Path) -> None:
    file = tmp_path / "sbom.json"
    # The environment that runs this test is installed, whatever the times of its files say.
    run("make", "--old-file=.venv/.development-installed", "sbom", f"SBOM={file}", cwd=ROOT)
    document = msgspec.json.decode(file.read_bytes())
    assert (document["bomFormat"], document["metadata"]["component"]["name"]) == ("CycloneDX", "south-seas-service")
    locked = re.findall(r"^([\w.-]+)==([^ ]+)", (ROOT / "requirements" / "image.lock").read_text(), re.MULTILINE)
    assert {(one["name"], one["version"]) for one in document["components"]} == {*locked}
    for component in document["components"]:
        assert [reference["hashes"] for reference in component["externalReferences"]]

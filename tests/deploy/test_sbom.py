"""`make sbom` and the build of the image list what the image contains."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from tests.deploy.scripts import load_script
from tests.tools import ROOT, run

DEBIAN = """\
Package: libssl3t64
Status: install ok installed
Architecture: amd64
Multi-Arch: same
Version: 1:3.5.1-1+deb13u1
Description: Secure Sockets Layer toolkit
 Version: not this
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Create what `collect.py` leaves of Debian in an image."""
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "os-release").write_text('ID=debian\nVERSION_ID="13"\n')
    listing = tmp_path / "var/lib/dpkg/status.d"
    listing.mkdir(parents=True)
    (listing / "libssl3t64").write_text(DEBIAN)
    return tmp_path


def packages(document: dict[str, Any], ecosystem: str) -> set[tuple[str, str]]:
    """Return names and versions of the components of an ecosystem."""
    found = (one for one in document["components"] if one["purl"].startswith(f"pkg:{ecosystem}/"))
    return {(one["name"], one["version"]) for one in found}


def test_it_lists_every_locked_package_of_the_image_and_of_the_page_with_hashes(tmp_path: Path) -> None:
    file = tmp_path / "sbom.json"
    run("make", "sbom", f"SBOM={file}", f"PYTHON={sys.executable}", cwd=ROOT)
    document = json.loads(file.read_bytes())
    assert (document["bomFormat"], document["metadata"]["component"]["name"]) == ("CycloneDX", "south-seas-service")
    locked = re.findall(r"^([\w.-]+)==([^ ]+)", (ROOT / "requirements" / "image.lock").read_text(), re.MULTILINE)
    python = packages(document, "pypi")
    assert {name for name, _ in python - {*locked}} == {"zensical"}
    assert {*locked} <= python
    page = json.loads((ROOT / "clients" / "page" / "package.json").read_bytes())["dependencies"]
    assert packages(document, "npm") == {(name, page[name]) for name in page if name != "south-seas-client"}
    for component in document["components"]:
        assert component["externalReferences"][0]["hashes"] if "pypi" in component["purl"] else component["hashes"]


def test_in_the_image_it_lists_debian_s_packages_and_python(root: Path) -> None:
    text: str = load_script("sbom").make_sbom(root)
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    document = json.loads(text)
    assert packages(document, "deb") == {("libssl3t64", "1:3.5.1-1+deb13u1")}
    purl = "pkg:deb/debian/libssl3t64@1%3A3.5.1-1%2Bdeb13u1?arch=amd64&distro=debian-13"
    assert [one["purl"] for one in document["components"]].count(purl) == 1
    assert packages(document, "generic") == {("python", sys.version.split()[0])}


def test_the_build_of_the_image_writes_it() -> None:
    assert "make_sbom(root)" in (ROOT / "deploy" / "container" / "collect.py").read_text()

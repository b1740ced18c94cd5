"""The image agrees with the manifests, is pinned by digests and locks, and has a list of what it contains."""

import io
import json
import re
import shutil
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from tests.deploy.manifests import environment, ports, service_container, service_template
from tests.tools import KUBECTL, ROOT, require, run

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def test_manifests_agree_with_the_image(overlay: str) -> None:
    template = service_template(overlay)
    user = template["spec"]["securityContext"]
    assert re.findall(r"^EXPOSE (\d+)$", DOCKERFILE, re.MULTILINE) == [str(ports(template)["http"])]
    assert re.findall(r"SOUTH_SEAS_PORT=(\d+)", DOCKERFILE) == [str(ports(template)["http"])]
    assert re.findall(r"^USER (\d+):(\d+)$", DOCKERFILE, re.MULTILINE) == [
        (str(user["runAsUser"]), str(user["runAsGroup"]))
    ]


def test_the_image_is_of_this_version(overlay: str) -> None:
    assert service_container(overlay)["image"].endswith(f"south-seas:{VERSION}")
    assert re.findall(r"^ARG VERSION=(.*)$", DOCKERFILE, re.MULTILINE) == [VERSION]


def test_everything_that_the_image_is_built_of_is_let_in(tmp_path: Path) -> None:
    """`.dockerignore` shuts all out; what COPY and the build read must be let in again."""
    let_in = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    assert {*re.findall(r"^COPY ([\w.-]+) \S+$", DOCKERFILE, re.MULTILINE)} - {"."} <= {*let_in}
    for name in run("git", "ls-files", *let_in, cwd=ROOT).splitlines():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    run(sys.executable, "-m", "tools.site", cwd=tmp_path)
    assert (tmp_path / "service/web/static/docs/changelog/index.html").exists()


def test_the_locks_that_the_build_names_are_there() -> None:
    assert all((ROOT / name).exists() for name in re.findall(r"requirements/\w+\.lock", DOCKERFILE))


def test_games_are_kept_in_the_declared_volume() -> None:
    (volume,) = re.findall(r"^VOLUME (\S+)$", DOCKERFILE, re.MULTILINE)
    assert re.findall(r"SOUTH_SEAS_DATA_DIR=(\S+)", DOCKERFILE) == [volume]


def test_manifests_always_name_a_redis(overlay: str) -> None:
    """A pod's own server would be another one in each pod, and gone with it."""
    assert "SOUTH_SEAS_REDIS_URL" in environment(overlay, service_container(overlay))


SCRIPTS = ROOT / "deploy" / "container"


def load_script(name: str) -> ModuleType:
    """Import a script, which may import another."""
    if str(SCRIPTS) not in sys.path:
        sys.path.append(str(SCRIPTS))
    spec = spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


DIGEST = "sha256:" + "0123456789abcdef" * 4
OTHER = "sha256:" + "fedcba9876543210" * 4


@pytest.fixture
def pin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import the script, on a copy of the files."""
    module = load_script("pin")
    for name in ("k8s", "deploy"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("Dockerfile", "compose.yaml"):
        shutil.copy(ROOT / name, tmp_path / name)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


def names(pin: ModuleType) -> set[str]:
    """Return the images of other projects."""
    return {name for file in pin.FILES for name, _ in pin.images(file, (pin.ROOT / file).read_text())}


def test_every_file_that_names_an_image_is_known(pin: ModuleType) -> None:
    """Else an image could be forgotten."""
    known = {ROOT / file for file in pin.FILES}
    files = [ROOT / "Dockerfile", ROOT / "compose.yaml", *(ROOT / "k8s").rglob("*.y*ml")]
    naming = {file for file in files if any(pin.images(str(file), file.read_text(encoding="utf-8")))}
    assert naming == known
    assert re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE) == [
        "${PYTHON_IMAGE}",
        "base",
        "scratch",
    ]


def test_every_image_has_a_tag_of_its_own(pin: ModuleType) -> None:
    assert len(names(pin)) == 3
    assert all(re.fullmatch(r"docker\.io/[\w/]+:[\w.-]*\d[\w.-]*", name) for name in names(pin))


def test_what_is_not_pinned_is_told(pin: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert pin.main(["check"]) == 1
    received = capsys.readouterr().err
    assert all(f"{name} is not pinned by digest" in received for name in names(pin))


def test_a_digest_is_written_wherever_the_image_is_named(pin: ModuleType, tmp_path: Path) -> None:
    for digest in (OTHER, DIGEST):
        for name in names(pin):
            assert pin.main(["set", name, digest]) == 0
    assert pin.main(["check"]) == 0
    dockerfile = (tmp_path / "Dockerfile").read_text()
    assert re.search(rf"^ARG PYTHON_IMAGE=docker\.io/library/python:[\w.-]+@{DIGEST}$", dockerfile, re.MULTILINE)
    services = yaml.safe_load((tmp_path / "compose.yaml").read_text())["services"]
    assert services["valkey"]["image"].endswith(f"@{DIGEST}")
    assert services["south-seas"]["image"].startswith("south-seas:")
    assert OTHER not in dockerfile
    for name in pin.FILES:
        unpinned = (tmp_path / name).read_text().replace(f"@{DIGEST}", "")
        assert unpinned == (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "arguments",
    (
        ("set", "docker.io/library/python:3.13-slim", "sha256:abc"),
        ("set", "docker.io/library/python:3.13-slim", DIGEST[7:]),
        ("set", "docker.io/library/nothing:1", DIGEST),
        ("set", "docker.io/library/python:3.13-slim"),
        (),
    ),
)
def test_what_is_no_digest_changes_nothing(pin: ModuleType, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert pin.main(arguments) == 2
    assert all((tmp_path / name).read_text() == (ROOT / name).read_text(encoding="utf-8") for name in pin.FILES)


def test_docker_tells_the_digests(pin: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for docker, which would ask a registry."""
    (tmp_path / "bin").mkdir()
    docker = tmp_path / "bin" / "docker"
    docker.write_text(f'#!/bin/sh\n[ "$1 $2 $3" = "buildx imagetools inspect" ] && echo {DIGEST}\n')
    docker.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    assert (pin.main(["update"]), pin.main(["check"])) == (0, 0)


def test_what_a_cluster_gets_is_held_against_it(
    pin: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kubectl, folder = require(KUBECTL), tmp_path / "k8s" / "overlays" / "prod"

    def checked() -> int:
        monkeypatch.setattr("sys.stdin", io.StringIO(run(kubectl, "kustomize", folder)))
        code: int = pin.main(["check", "-"])
        return code

    assert checked() == 1
    assert re.search(r"registry\.example\.com/south-seas:[\d.]+ is not pinned", capsys.readouterr().err)
    own = folder / "kustomization.yaml"
    own.write_text(re.sub(r"newTag: .*", f"digest: {DIGEST}", own.read_text()))
    assert checked() == 0


DEBIAN = """\
Package: libssl3t64
Status: install ok installed
Architecture: amd64
Multi-Arch: same
Version: 1:3.5.1-1+deb13u1
Description: Secure Sockets Layer toolkit
 Version: not this
"""


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


def test_in_the_image_it_lists_debian_s_packages_and_python(tmp_path: Path) -> None:
    """From what `collect.py` leaves of Debian in an image."""
    # Their imports compile grammars for a second: no other test needs them.
    from cyclonedx.schema import SchemaVersion  # noqa: PLC0415
    from cyclonedx.validation.json import JsonStrictValidator  # noqa: PLC0415

    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "os-release").write_text('ID=debian\nVERSION_ID="13"\n')
    listing = tmp_path / "var/lib/dpkg/status.d"
    listing.mkdir(parents=True)
    (listing / "libssl3t64").write_text(DEBIAN)
    text: str = load_script("sbom").make_sbom(tmp_path)
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    document = json.loads(text)
    assert packages(document, "deb") == {("libssl3t64", "1:3.5.1-1+deb13u1")}
    purl = "pkg:deb/debian/libssl3t64@1%3A3.5.1-1%2Bdeb13u1?arch=amd64&distro=debian-13"
    assert [one["purl"] for one in document["components"]].count(purl) == 1
    assert packages(document, "generic") == {("python", sys.version.split()[0])}


def test_the_build_of_the_image_writes_it() -> None:
    assert "make_sbom(root)" in (ROOT / "deploy" / "container" / "collect.py").read_text()


INSTALLATION = re.compile(r"\binstall [^|&]*?-r ")


@pytest.mark.parametrize(
    ("file", "options", "count"), (("Makefile", "$(LOCKED)", 8), ("Dockerfile", "--no-deps --require-hashes", 2))
)
def test_every_lock_file_is_installed_so(file: str, options: str, count: int) -> None:
    installations = INSTALLATION.findall((ROOT / file).read_text().replace("\\\n", " "))
    assert [one for one in installations if f" {options} " in one] == installations
    assert len(installations) == count

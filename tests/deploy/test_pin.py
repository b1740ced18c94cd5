"""Images are pinned by digest in every file that names them; unpinned ones are reported."""

import io
import re
import shutil
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from tests.deploy.scripts import load_script
from tests.tools import KUBECTL, ROOT, require, run

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
    assert pin.main(["update"]) == 0
    assert pin.main(["check"]) == 0


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
    text = re.sub(r"newTag: .*", f"digest: {DIGEST}", own.read_text())
    own.write_text(text)
    assert checked() == 0

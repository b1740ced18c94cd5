"""The Dockerfile and the manifests agree."""

import re
import tomllib

import pytest

from tests.deploy.rendered import OVERLAYS, ROOT, ports, service_container, service_template

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_manifests_agree_with_the_image(overlay: str) -> None:
    template = service_template(overlay)
    user = template["spec"]["securityContext"]
    assert re.findall(r"^EXPOSE (\d+)$", DOCKERFILE, re.MULTILINE) == [str(ports(template)["http"])]
    assert re.findall(r"SOUTH_SEAS_PORT=(\d+)", DOCKERFILE) == [str(ports(template)["http"])]
    assert re.findall(r"^USER (\d+):(\d+)$", DOCKERFILE, re.MULTILINE) == [
        (str(user["runAsUser"]), str(user["runAsGroup"]))
    ]


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_image_is_of_this_version(overlay: str) -> None:
    assert service_container(overlay)["image"].endswith(f"south-seas:{VERSION}")
    assert re.findall(r"^ARG VERSION=(.*)$", DOCKERFILE, re.MULTILINE) == [VERSION]


def test_everything_that_the_image_is_built_of_is_let_in() -> None:
    """`.dockerignore` shuts all out; what COPY and the build ask for by name must be let in again."""
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    (locks,) = re.findall(r"^COPY (requirements.*) \./$", DOCKERFILE, re.MULTILINE)
    asked = {*locks.split()} | {"container", "docs", "schemas", "service", "setup.py", "pyproject.toml", "LICENSE"}
    assert asked == let_in
    assert all((ROOT / name).exists() for name in let_in)

"""The Dockerfile and the manifests agree."""

import re
import tomllib

from tests.deploy.manifests import environment, ports, service_container, service_template
from tests.tools import ROOT

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


def test_everything_that_the_image_is_built_of_is_let_in() -> None:
    """`.dockerignore` shuts all out; what COPY and the build ask for by name must be let in again."""
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {*re.findall(r"^COPY ([\w.-]+) \S+$", DOCKERFILE, re.MULTILINE)} - {"."}
    packages = {"benchmarks", "deploy", "docs", "k8s/components/monitoring", "schemas", "service", "tools"}
    assert let_in == copied | packages | {"setup.py", "pyproject.toml", "LICENSE", "clients/package-lock.json"}
    assert all((ROOT / name).exists() for name in let_in)


def test_the_locks_that_the_build_names_are_there() -> None:
    assert all((ROOT / name).exists() for name in re.findall(r"requirements/\w+\.lock", DOCKERFILE))


def test_games_are_kept_in_the_declared_volume() -> None:
    (volume,) = re.findall(r"^VOLUME (\S+)$", DOCKERFILE, re.MULTILINE)
    assert re.findall(r"SOUTH_SEAS_DATA_DIR=(\S+)", DOCKERFILE) == [volume]


def test_manifests_always_name_a_redis(overlay: str) -> None:
    """A pod's own server would be another one in each pod, and gone with it."""
    assert "SOUTH_SEAS_REDIS_URL" in environment(overlay, service_container(overlay))

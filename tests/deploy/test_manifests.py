"""Every overlay renders to resources that Kubernetes accepts, in old and new versions."""

import json
import re
from functools import cache
from pathlib import Path

import kubernetes_validate
import pytest
import yaml
from jsonschema_rs import Draft202012Validator

from tests.deploy.custom_resources import SCHEMAS
from tests.deploy.manifests import K8S, describe, is_custom, render

VERSIONS = ("1.30", "1.31", "1.32", "1.34", "1.37")
"""1.30 is the oldest whose `preStop` can sleep."""


@pytest.mark.parametrize("version", VERSIONS)
def test_kubernetes_takes_it(overlay: str, version: str) -> None:
    for resource in render(overlay):
        if not is_custom(resource):
            _validate(json.dumps(resource), version)


@cache
def _validate(resource: str, version: str) -> None:
    """Validate a resource, which is often the same in several overlays."""
    kubernetes_validate.validate(json.loads(resource), version, strict=True)


def test_who_adds_kinds_to_kubernetes_takes_it(overlay: str) -> None:
    for resource in filter(is_custom, render(overlay)):
        if resource["kind"] != "PrometheusRule":
            Draft202012Validator(SCHEMAS[resource["kind"]]).validate(resource)


def test_no_two_resources_have_one_name(overlay: str) -> None:
    titles = [describe(resource) for resource in render(overlay)]
    assert len(titles) == len({*titles})


def test_all_is_in_the_one_namespace_of_the_overlay(overlay: str) -> None:
    (namespace,) = [one["metadata"]["name"] for one in render(overlay) if one["kind"] == "Namespace"]
    others = {one["metadata"].get("namespace") for one in render(overlay) if one["kind"] != "Namespace"}
    assert others == {namespace}


def test_each_component_is_part_of_an_overlay() -> None:
    """Or may be, instead of one that is."""
    used = set()
    for file in (K8S / "overlays").glob("*/kustomization.yaml"):
        used |= {*re.findall(r"^  (?:# )?- ../../components/([\w-]+)$", file.read_text(), re.MULTILINE)}
    assert {folder.name for folder in (K8S / "components").iterdir()} == used


VALUES = {"prometheus-adapter.yaml", "controller.yaml"}
"""Files that are values of a Helm chart."""


@pytest.mark.parametrize("folder", [file.parent for file in K8S.rglob("kustomization.yaml")], ids=lambda it: it.name)
def test_kustomization_lists_every_file_beside_it(folder: Path) -> None:
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text())
    listed = {*kustomization.get("resources", ()), *(patch.get("path") for patch in kustomization.get("patches", ()))}
    beside = {file.name for file in folder.glob("*.yaml")} - {"kustomization.yaml"} - VALUES
    assert beside <= listed

"""The manifests as `kubectl apply -k` would send them, and how their parts are found.

An overlay is a folder of `k8s/overlays`, or a variant of `prod` with other components; it is rendered once. Kubernetes
itself is never asked.
"""

import base64
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml

from tests.tools import KUBECTL, ROOT, require

K8S = ROOT / "k8s"
VARIANTS = {
    "prod-cluster": (("redis-sentinel", "redis-cluster"), ("ingress-nginx-hashing",)),
    "prod-gateway": (("ingress-nginx", "gateway"),),
}
"""Which components are commented out, and which are not, in the place of those of `prod`."""

OVERLAYS = (*sorted(folder.name for folder in (K8S / "overlays").iterdir()), *VARIANTS)
PRODUCTION = tuple(name for name in OVERLAYS if name.startswith("prod"))

CUSTOM = ("monitoring.coreos.com", "gateway.networking.k8s.io")
"""API groups that a cluster only has if another product installed them."""

SECRETS = {
    "south-seas": ("SOUTH_SEAS_REDIS_URL",),
    "south-seas-archive": ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"),
}
"""Secrets that the operator makes for `prod`, with their keys."""

Resource = dict[str, Any]


@cache
def render(overlay: str) -> tuple[Resource, ...]:
    """Return the resources of an overlay. Fails without a `kubectl` whose kustomize is recent enough."""
    kubectl = require(KUBECTL)
    with TemporaryDirectory() as directory:
        root = Path(directory)
        for part in ("k8s", "deploy/observability"):
            shutil.copytree(ROOT / part, root / part)
        if overlay in VARIANTS:
            _make_variant(root / "k8s" / "overlays" / "prod", root / "k8s" / "overlays" / overlay)
        finished = subprocess.run(
            [kubectl, "kustomize", root / "k8s" / "overlays" / overlay], capture_output=True, text=True, check=False
        )
    if finished.returncode or finished.stderr:
        pytest.fail(f"kubectl kustomize k8s/overlays/{overlay}: {finished.stderr}")
    return tuple(yaml.safe_load_all(finished.stdout))


def _make_variant(prod: Path, target: Path) -> None:
    shutil.copytree(prod, target)
    file = target / "kustomization.yaml"
    text = file.read_text()
    for *removed, added in VARIANTS[target.name]:
        for name in removed:
            text = text.replace(f"\n  - ../../components/{name}\n", f"\n  # - ../../components/{name}\n")
        assert f"\n  # - ../../components/{added}\n" in text
        text = text.replace(f"\n  # - ../../components/{added}\n", f"\n  - ../../components/{added}\n")
    file.write_text(text)


def list_resources(overlay: str, *kinds: str) -> list[Resource]:
    """Return all resources of these kinds."""
    return [resource for resource in render(overlay) if resource["kind"] in kinds]


def get_resource(overlay: str, kind: str, name: str) -> Resource:
    """Return the resource of a kind and name."""
    (result,) = [resource for resource in list_resources(overlay, kind) if resource["metadata"]["name"] == name]
    return result


def is_custom(resource: Resource) -> bool:
    """Return whether Kubernetes itself does not know its kind."""
    return resource["apiVersion"].partition("/")[0] in CUSTOM


def describe(resource: Resource) -> str:
    """Return the name of a resource for messages."""
    return f"{resource['kind']}/{resource['metadata']['name']}"


def pod_templates(overlay: str) -> Iterator[tuple[str, Resource]]:
    """Yield the pod template of each workload, with its title."""
    for workload in list_resources(overlay, "Deployment", "StatefulSet"):
        yield describe(workload), workload["spec"]["template"]
    for job in list_resources(overlay, "CronJob"):
        yield describe(job), job["spec"]["jobTemplate"]["spec"]["template"]


def containers(overlay: str) -> Iterator[tuple[str, Resource]]:
    """Yield every container, with its workload's title."""
    for name, template in pod_templates(overlay):
        for container in template["spec"]["containers"]:
            yield name, container


def service_template(overlay: str) -> Resource:
    """Return the pod template of the service."""
    template: Resource = get_resource(overlay, "Deployment", "south-seas")["spec"]["template"]
    return template


def service_container(overlay: str) -> Resource:
    """Return the service's container."""
    (container,) = service_template(overlay)["spec"]["containers"]
    result: Resource = container
    return result


def ports(template: Resource) -> dict[str, int]:
    """Return the named ports of a pod template."""
    return {
        port["name"]: port["containerPort"]
        for container in template["spec"]["containers"]
        for port in container.get("ports", ())
    }


def matches(selector: Resource, labels: dict[str, str]) -> bool:
    """Return whether a label selector matches these labels."""
    if not selector.get("matchLabels", {}).items() <= labels.items():
        return False
    for expression in selector.get("matchExpressions", ()):
        if expression["operator"] != "In":
            raise NotImplementedError(expression["operator"])
        if labels.get(expression["key"]) not in expression["values"]:
            return False
    return True


def select_templates(overlay: str, selector: Resource) -> dict[str, Resource]:
    """Return the pod templates that a label selector matches, by title."""
    return {
        name: template
        for name, template in pod_templates(overlay)
        if matches(selector, template["metadata"].get("labels", {}))
    }


def environment(overlay: str, container: Resource) -> dict[str, str | None]:
    """Return the environment variables of a container; None for what is in a Secret of the operator."""
    result: dict[str, str | None] = {}
    for source in container.get("envFrom", ()):
        if "configMapRef" in source:
            result |= get_resource(overlay, "ConfigMap", source["configMapRef"]["name"])["data"]
        else:
            result |= _secret(overlay, source["secretRef"]["name"])
    return result | {entry["name"]: entry.get("value") for entry in container.get("env", ())}


def _secret(overlay: str, name: str) -> dict[str, str | None]:
    if overlay in PRODUCTION:
        return dict.fromkeys(SECRETS[name])
    data = get_resource(overlay, "Secret", name)["data"]
    return {key: base64.b64decode(value).decode() for key, value in data.items()}

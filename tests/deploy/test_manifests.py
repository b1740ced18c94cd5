"""The Kubernetes manifests are valid, and the names by which they speak of each other agree."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import kubernetes_validate
import pytest
import yaml

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "k8s"
KUBERNETES = "1.32"

Resource = dict[str, Any]


def _load(file: str) -> list[Resource]:
    return list(yaml.safe_load_all((FOLDER / file).read_text(encoding="utf-8")))


(KUSTOMIZATION,) = _load("kustomization.yaml")
RESOURCES: list[Resource] = [resource for file in KUSTOMIZATION["resources"] for resource in _load(file)]


def _of_kind(*kinds: str) -> list[Resource]:
    return [resource for resource in RESOURCES if resource["kind"] in kinds]


def _named(kind: str, name: str) -> Resource:
    (resource,) = [resource for resource in _of_kind(kind) if resource["metadata"]["name"] == name]
    return resource


def _title(resource: Resource) -> str:
    return f"{resource['kind']}/{resource['metadata']['name']}"


WORKLOADS = _of_kind("Deployment", "StatefulSet")
SERVICES = _of_kind("Service")


def _pods_chosen_by(selector: dict[str, str]) -> list[Resource]:
    """The pod templates whose labels hold all of `selector`."""
    templates = [workload["spec"]["template"] for workload in WORKLOADS]
    return [template for template in templates if selector.items() <= template["metadata"]["labels"].items()]


def _ports(template: Resource) -> dict[str, int]:
    containers = template["spec"]["containers"]
    return {port["name"]: port["containerPort"] for container in containers for port in container["ports"]}


def _service_pod() -> Resource:
    pod: Resource = _named("Deployment", "south-seas")["spec"]["template"]["spec"]
    return pod


def test_kustomization_lists_every_manifest() -> None:
    manifests = {file.name for file in FOLDER.glob("*.yaml")} - {"kustomization.yaml"}
    assert set(KUSTOMIZATION["resources"]) == manifests


@pytest.mark.parametrize("resource", RESOURCES, ids=_title)
def test_resource_has_only_fields_that_kubernetes_knows(resource: Resource) -> None:
    kubernetes_validate.validate(resource, KUBERNETES, strict=True)


@pytest.mark.parametrize("workload", WORKLOADS, ids=_title)
def test_workload_selects_its_own_pods_alone(workload: Resource) -> None:
    assert _pods_chosen_by(workload["spec"]["selector"]["matchLabels"]) == [workload["spec"]["template"]]


@pytest.mark.parametrize("service", SERVICES, ids=_title)
def test_service_leads_to_a_named_port_of_one_kind_of_pod(service: Resource) -> None:
    (template,) = _pods_chosen_by(service["spec"]["selector"])
    assert {port["targetPort"] for port in service["spec"]["ports"]} <= _ports(template).keys()


@pytest.mark.parametrize("workload", WORKLOADS, ids=_title)
def test_probes_ask_a_named_port(workload: Resource) -> None:
    template = workload["spec"]["template"]
    (container,) = template["spec"]["containers"]
    probes = [container[name] for name in container if name.endswith("Probe")]
    asked = {probe[way]["port"] for probe in probes for way in ("httpGet", "tcpSocket") if way in probe}
    assert asked
    assert asked <= _ports(template).keys()


@pytest.mark.parametrize("workload", WORKLOADS, ids=_title)
def test_pods_run_restricted(workload: Resource) -> None:
    """The `restricted` Pod Security Standard, a root file system that cannot be written, and no way to the API."""
    pod = workload["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["securityContext"]["runAsUser"] > 0
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not pod["automountServiceAccountToken"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_disruption_budget_speaks_of_the_deployment() -> None:
    (budget,) = _of_kind("PodDisruptionBudget")
    deployment = _named("Deployment", "south-seas")
    assert budget["spec"]["selector"] == deployment["spec"]["selector"]
    assert budget["spec"]["maxUnavailable"] < deployment["spec"]["replicas"]


def test_stateful_set_names_its_service_and_mounts_its_volume() -> None:
    (redis,) = _of_kind("StatefulSet")
    assert _named("Service", redis["spec"]["serviceName"])["spec"]["clusterIP"] == "None"
    (container,) = redis["spec"]["template"]["spec"]["containers"]
    (claim,) = redis["spec"]["volumeClaimTemplates"]
    (mount,) = container["volumeMounts"]
    assert mount["name"] == claim["metadata"]["name"]
    assert mount["mountPath"] in container["args"]


def test_service_finds_redis() -> None:
    (container,) = _service_pod()["containers"]
    (source,) = container["envFrom"]
    settings = _named("ConfigMap", source["configMapRef"]["name"])["data"]
    url = urlsplit(settings["SOUTH_SEAS_REDIS_URL"])
    assert url.hostname is not None
    assert url.port in {port["port"] for port in _named("Service", url.hostname)["spec"]["ports"]}


def test_kubernetes_adds_no_settings_of_its_own() -> None:
    """A Service called south-seas would otherwise set SOUTH_SEAS_PORT in every pod, to an address."""
    assert _service_pod()["enableServiceLinks"] is False


def test_pod_leaves_without_a_failed_request() -> None:
    """Readiness falls within seconds, no pod goes before its successor serves, and there is time to say goodbye."""
    (container,) = _service_pod()["containers"]
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert container["readinessProbe"]["failureThreshold"] == 1
    assert container["livenessProbe"]["httpGet"]["path"] == "/livez"
    assert container["lifecycle"]["preStop"]["sleep"]["seconds"] >= 5
    assert _service_pod()["terminationGracePeriodSeconds"] >= 45
    assert _named("Deployment", "south-seas")["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] == 0


def test_manifests_agree_with_the_image() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    template = _named("Deployment", "south-seas")["spec"]["template"]
    (container,) = template["spec"]["containers"]
    (image,) = KUSTOMIZATION["images"]
    assert container["image"] == image["name"]
    assert re.findall(r"^EXPOSE (\d+)$", dockerfile, re.MULTILINE) == [str(_ports(template)["http"])]
    assert re.findall(r"^USER (\d+):(\d+)$", dockerfile, re.MULTILINE) == [
        (str(template["spec"]["securityContext"]["runAsUser"]), str(template["spec"]["securityContext"]["runAsGroup"])),
    ]

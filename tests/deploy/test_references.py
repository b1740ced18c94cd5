"""Resources refer to each other by names that exist; Kubernetes would ignore others silently."""

from urllib.parse import urlsplit

import pytest
import yaml

from service.telemetry.metrics import CONNECTIONS
from service.web.app import ROUTES
from tests.deploy.manifests import (
    K8S,
    PRODUCTION,
    SECRETS,
    Resource,
    containers,
    describe,
    environment,
    get_resource,
    list_resources,
    pod_templates,
    ports,
    select_templates,
    service_container,
    service_template,
)


def test_workload_selects_its_own_pods_alone(overlay: str) -> None:
    for workload in list_resources(overlay, "Deployment", "StatefulSet"):
        assert select_templates(overlay, workload["spec"]["selector"]) == {
            describe(workload): workload["spec"]["template"]
        }


def test_service_leads_to_named_ports_of_one_kind_of_pod(overlay: str) -> None:
    services = list_resources(overlay, "Service")
    assert services
    for service in services:
        (template,) = select_templates(overlay, {"matchLabels": service["spec"]["selector"]}).values()
        assert {port["targetPort"] for port in service["spec"]["ports"]} <= ports(template).keys()


def test_budget_and_spread_speak_of_the_pods_of_the_service(overlay: str) -> None:
    (budget,) = list_resources(overlay, "PodDisruptionBudget")
    pod = service_template(overlay)["spec"]
    spread = pod["topologySpreadConstraints"]
    assert [one["topologyKey"] for one in spread] == ["topology.kubernetes.io/zone", "kubernetes.io/hostname"]
    for selector in (budget["spec"]["selector"], *(one["labelSelector"] for one in spread)):
        assert [*select_templates(overlay, selector)] == ["Deployment/south-seas"]


def test_probes_ask_a_named_port_and_a_route_that_there_is(overlay: str) -> None:
    paths = {route.path for route in ROUTES}
    for name, template in pod_templates(overlay):
        for container in template["spec"]["containers"]:
            probes = [container[key] for key in container if key.endswith("Probe")]
            assert len(probes) == {"Deployment/south-seas": 3, "StatefulSet/south-seas-redis": 2}.get(name, 0)
            for probe in probes:
                requested = probe.get("httpGet") or probe.get("tcpSocket")
                assert requested is None or requested["port"] in ports(template)
                assert "httpGet" not in probe or probe["httpGet"]["path"] in paths


def test_every_map_secret_account_and_volume_that_a_pod_names_is_there_or_the_operators(overlay: str) -> None:
    there = {(one["kind"], one["metadata"]["name"]) for one in list_resources(overlay, *_NAMED)}
    if overlay in PRODUCTION:
        there |= {("ConfigMap", "south-seas-redis-ca"), *(("Secret", name) for name in SECRETS)}
    for _, template in pod_templates(overlay):
        assert _named_by(template["spec"]) <= there


_NAMED = ("ConfigMap", "Secret", "ServiceAccount", "PersistentVolumeClaim")


def _named_by(pod: Resource) -> set[tuple[str, str]]:
    result = {("ServiceAccount", pod["serviceAccountName"])}
    for container in pod["containers"]:
        for source in container.get("envFrom", ()):
            result |= {("ConfigMap", one["name"]) for key, one in source.items() if key == "configMapRef"}
            result |= {("Secret", one["name"]) for key, one in source.items() if key == "secretRef"}
    for volume in pod.get("volumes", ()):
        if "configMap" in volume:
            result.add(("ConfigMap", volume["configMap"]["name"]))
        if "persistentVolumeClaim" in volume:
            result.add(("PersistentVolumeClaim", volume["persistentVolumeClaim"]["claimName"]))
    return result


def test_every_mount_has_its_volume_and_every_volume_its_mount(overlay: str) -> None:
    claims = {
        one["metadata"]["name"]
        for workload in list_resources(overlay, "StatefulSet")
        for one in workload["spec"]["volumeClaimTemplates"]
    }
    mounted = {mount["name"] for _, container in containers(overlay) for mount in container.get("volumeMounts", ())}
    volumes = {one["name"] for _, template in pod_templates(overlay) for one in template["spec"].get("volumes", ())}
    assert mounted == volumes | claims


def test_redis_of_dev_is_found_and_keeps_its_data_where_its_volume_is() -> None:
    (redis,) = list_resources("dev", "StatefulSet")
    assert get_resource("dev", "Service", redis["spec"]["serviceName"])["spec"]["clusterIP"] == "None"
    (container,) = redis["spec"]["template"]["spec"]["containers"]
    (mount,) = container["volumeMounts"]
    assert mount["mountPath"] in container["args"]
    url = urlsplit(environment("dev", service_container("dev"))["SOUTH_SEAS_REDIS_URL"] or "")
    assert url.port in {port["port"] for port in get_resource("dev", "Service", str(url.hostname))["spec"]["ports"]}


@pytest.mark.parametrize("overlay", PRODUCTION)
def test_the_way_in_leads_to_the_service(overlay: str) -> None:
    ways = list_resources(overlay, "Ingress", "HTTPRoute")
    assert len(ways) == 1
    served = {port["name"]: port["port"] for port in get_resource(overlay, "Service", "south-seas")["spec"]["ports"]}
    for ingress in list_resources(overlay, "Ingress"):
        (rule,) = ingress["spec"]["rules"]
        (path,) = rule["http"]["paths"]
        assert path["backend"]["service"] == {"name": "south-seas", "port": {"name": "http"}}
        assert [tls["hosts"] for tls in ingress["spec"]["tls"]] == [[rule["host"]]]
    for route in list_resources(overlay, "HTTPRoute"):
        (rule,) = route["spec"]["rules"]
        assert rule["backendRefs"] == [{"name": "south-seas", "port": served["http"]}]


@pytest.mark.parametrize("overlay", PRODUCTION)
def test_prometheus_scrapes_a_port_of_the_service(overlay: str) -> None:
    (monitor,) = list_resources(overlay, "ServiceMonitor")
    (endpoint,) = monitor["spec"]["endpoints"]
    service = get_resource(overlay, "Service", "south-seas")
    assert monitor["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    assert endpoint["port"] in {port["name"] for port in service["spec"]["ports"]}
    assert monitor["metadata"]["namespace"] == service["metadata"]["namespace"]


@pytest.mark.parametrize("overlay", PRODUCTION)
def test_autoscaler_counts_the_deployments_pods(overlay: str) -> None:
    (autoscaler,) = list_resources(overlay, "HorizontalPodAutoscaler")
    target = autoscaler["spec"]["scaleTargetRef"]
    deployment = get_resource(overlay, target["kind"], target["name"])
    assert target["apiVersion"] == deployment["apiVersion"]
    assert "replicas" not in deployment["spec"]
    assert "cpu" in service_container(overlay)["resources"]["requests"]
    (budget,) = list_resources(overlay, "PodDisruptionBudget")
    assert budget["spec"]["maxUnavailable"] < autoscaler["spec"]["minReplicas"]


@pytest.mark.parametrize("overlay", PRODUCTION)
def test_autoscaler_asks_for_what_the_adapter_makes_of_what_the_service_tells(overlay: str) -> None:
    (autoscaler,) = list_resources(overlay, "HorizontalPodAutoscaler")
    (requested,) = [one["pods"]["metric"]["name"] for one in autoscaler["spec"]["metrics"] if one["type"] == "Pods"]
    values = yaml.safe_load((K8S / "components" / "autoscaling" / "prometheus-adapter.yaml").read_text())
    (rule,) = values["rules"]["custom"]
    (connections,) = CONNECTIONS.describe()
    assert rule["name"] == {"matches": f"^{connections.name}$", "as": requested}
    assert rule["seriesQuery"].partition("{")[0] == connections.name

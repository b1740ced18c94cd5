"""Every overlay is valid, has no more permissions and paths than it needs, and names only what exists."""

import json
import re
from functools import cache
from ipaddress import ip_address, ip_network
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml

from benchmarks.capacity import LOADS, capacity_table
from benchmarks.results import load_result
from service.settings import ENV_PREFIX, OPTIONS
from service.telemetry.metrics import CONNECTIONS
from service.telemetry.tracing import ENDPOINT_VARIABLES
from service.web.assembly import ROUTES
from service.web.outbound import is_public
from tests.deploy.manifests import (
    K8S,
    PRODUCTION,
    SECRETS,
    Resource,
    containers,
    describe,
    environment,
    get_resource,
    is_custom,
    list_resources,
    pod_templates,
    ports,
    render,
    select_templates,
    service_container,
    service_template,
)
from tests.server_process import variables
from tests.tools import ROOT

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
    import kubernetes_validate  # noqa: PLC0415  it compiles grammars for a second

    kubernetes_validate.validate(json.loads(resource), version, strict=True)


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


PRIVATE = (
    *("10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "127.0.0.1", "0.0.0.1", "169.254.169.254", "224.0.0.1"),
    "168.63.129.16",
    *("::1", "fe80::1", "fd00::1", "fd00:ec2::254", "ff02::1", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1"),
)
"""Includes the networks of cloud metadata services."""

PUBLIC = ("1.1.1.1", "93.184.215.14", "2606:4700::1111")


def _policies(overlay: str, way: str, title: str) -> list[Resource]:
    """Return the rules of all policies for the pods of `title`, for Ingress or Egress."""
    return [
        rule
        for policy in list_resources(overlay, "NetworkPolicy")
        if way in policy["spec"]["policyTypes"] and title in select_templates(overlay, policy["spec"]["podSelector"])
        for rule in policy["spec"].get(way.lower(), ())
    ]


def test_everything_is_denied_at_first(overlay: str) -> None:
    nobody = get_resource(overlay, "NetworkPolicy", "nobody")["spec"]
    assert nobody == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


def test_every_policy_chooses_pods_and_says_ports(overlay: str) -> None:
    for policy in list_resources(overlay, "NetworkPolicy"):
        assert select_templates(overlay, policy["spec"]["podSelector"])
        for way in ("ingress", "egress"):
            assert (way in policy["spec"]) <= (way.capitalize() in policy["spec"]["policyTypes"])
            assert all(rule["ports"] for rule in policy["spec"].get(way, ()))


def test_what_may_come_in_comes_to_a_port_that_the_pods_have(overlay: str) -> None:
    for title, template in pod_templates(overlay):
        for rule in _policies(overlay, "Ingress", title):
            assert {port["port"] for port in rule["ports"]} <= {*ports(template).values()}


@pytest.mark.parametrize("overlay", PRODUCTION)
def test_the_proxy_and_prometheus_get_in_and_each_to_its_port(overlay: str) -> None:
    (service,) = [template for title, template in pod_templates(overlay) if title == "Deployment/south-seas"]
    reached = {}
    for rule in _policies(overlay, "Ingress", "Deployment/south-seas"):
        (source,), (port,) = rule["from"], rule["ports"]
        reached[source["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"]] = port["port"]
    proxy = "ingress-nginx" if list_resources(overlay, "Ingress") else "gateway"
    assert reached == {proxy: ports(service)["http"], "monitoring": ports(service)["metrics"]}


def test_all_pods_that_ask_redis_may_and_no_other(overlay: str) -> None:
    asking = select_templates(
        overlay, get_resource(overlay, "NetworkPolicy", "south-seas-to-redis")["spec"]["podSelector"]
    )
    assert {*asking} == {title for title, container in containers(overlay) if "envFrom" in container}
    for rule in get_resource(overlay, "NetworkPolicy", "south-seas-to-redis")["spec"]["egress"]:
        assert 6379 in {port["port"] for port in rule["ports"]}


def test_redis_of_dev_is_reached_by_those_alone_who_may_ask_it() -> None:
    (rule,) = get_resource("dev", "NetworkPolicy", "south-seas-redis")["spec"]["ingress"]
    (source,) = rule["from"]
    assert source["podSelector"] == get_resource("dev", "NetworkPolicy", "south-seas-to-redis")["spec"]["podSelector"]


def test_webhooks_reach_the_world_and_nothing_inside(overlay: str) -> None:
    (rule,) = get_resource(overlay, "NetworkPolicy", "south-seas-webhooks")["spec"]["egress"]
    assert [port["port"] for port in rule["ports"]] == [443]
    for address in (*PUBLIC, *PRIVATE):
        reached = any(_inside(address, block["ipBlock"]) for block in rule["to"])
        assert reached == is_public(ip_address(address)) == (address in PUBLIC), address


def _inside(address: str, block: Resource) -> bool:
    where = ip_address(address)
    inside = where in ip_network(block["cidr"])
    return inside and not any(where in ip_network(hole) for hole in block.get("except", ()))


def test_namespace_takes_restricted_pods_alone(overlay: str) -> None:
    (namespace,) = list_resources(overlay, "Namespace")
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"


def test_pods_run_restricted(overlay: str) -> None:
    """The `restricted` Pod Security Standard, and no way to Kubernetes' API."""
    for _, template in pod_templates(overlay):
        pod = template["spec"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] > 0
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
        assert not {"hostNetwork", "hostPID", "hostIPC", "initContainers"} & pod.keys()
        allowed = {"name", "configMap", "secret", "emptyDir", "persistentVolumeClaim"}
        assert all(volume.keys() <= allowed for volume in pod.get("volumes", ()))


def test_containers_cannot_write_to_their_root_nor_become_more(overlay: str) -> None:
    for _, container in containers(overlay):
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }


def test_containers_say_what_they_need_and_how_much_memory_is_too_much(overlay: str) -> None:
    for _, container in containers(overlay):
        resources = container["resources"]
        assert resources["requests"].keys() == {"cpu", "memory"}
        assert resources["limits"].keys() == {"memory"}


def test_kubernetes_adds_no_settings_of_its_own(overlay: str) -> None:
    """A Service called south-seas would otherwise set SOUTH_SEAS_PORT in every pod, to an address."""
    assert all(template["spec"]["enableServiceLinks"] is False for _, template in pod_templates(overlay))


def test_releases_are_counted_apart_in_the_spread(overlay: str) -> None:
    for constraint in service_template(overlay)["spec"]["topologySpreadConstraints"]:
        assert constraint["matchLabelKeys"] == ["pod-template-hash"]


SAMPLER = {"OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.01"}


def test_there_is_a_variable_for_every_setting() -> None:
    assert len(variables()) == len(OPTIONS)


def test_the_image_sets_only_what_there_is() -> None:
    image = (ROOT / "Dockerfile").read_text().rpartition("\nFROM ")[2]
    named_there = re.findall(rf"\b({ENV_PREFIX}[A-Z_]+)", image)
    assert named_there
    assert {*named_there} <= variables()


def test_the_manifests_set_only_what_there_is(overlay: str) -> None:
    known = variables() | {*ENDPOINT_VARIABLES, *SAMPLER, *SECRETS["south-seas-archive"]}
    assert environment(overlay, service_container(overlay)).keys() <= known


def test_what_is_secret_is_in_no_config_map(overlay: str) -> None:
    for settings in list_resources(overlay, "ConfigMap"):
        assert not settings["data"].keys() & {key for keys in SECRETS.values() for key in keys}
        assert "://:" not in str(settings["data"])


def test_the_image_listens_on_all_addresses_of_ipv4_and_ipv6(overlay: str) -> None:
    """Which the manifests leave so: a pod has one address of either family or of both."""
    image = (ROOT / "Dockerfile").read_text()
    for name in ("SOUTH_SEAS_HOST", "SOUTH_SEAS_METRICS_HOST"):
        assert re.findall(rf"\b{name}=(\S+)", image) == ["::"]
        assert name not in environment(overlay, service_container(overlay))


def test_metrics_are_told_where_they_are_looked_for(overlay: str) -> None:
    port = environment(overlay, service_container(overlay))["SOUTH_SEAS_METRICS_PORT"]
    assert port == str(ports(service_template(overlay))["metrics"])
    assert {"name": "metrics", "port": int(port), "targetPort": "metrics"} in get_resource(
        overlay, "Service", "south-seas"
    )["spec"]["ports"]


@pytest.mark.parametrize("overlay", PRODUCTION)
def test_production_is_what_the_table_plans(overlay: str) -> None:
    planned = next(load for load in LOADS if load.title == "10,000 played at one sitting")
    (row,) = (row for row in capacity_table(load_result("suite")) if planned.title in row)
    (pods,) = re.findall(r" (\d+) to (\d+) \|", row)
    autoscaler = get_resource(overlay, "HorizontalPodAutoscaler", "south-seas")["spec"]
    assert (autoscaler["minReplicas"], autoscaler["maxReplicas"]) == tuple(map(int, pods))
    settings = environment(overlay, service_container(overlay))
    assert settings[f"{ENV_PREFIX}FINISHED_RETENTION_DAYS"] == str(planned.days)
    assert settings[f"{ENV_PREFIX}ARCHIVE_URL"]
    assert settings.items() >= SAMPLER.items()


def test_only_with_hashing_does_ingress_nginx_keep_games_together() -> None:
    """By a variable of its values, which has another value for each request that is about no game."""
    hashed = "nginx.ingress.kubernetes.io/upstream-hash-by"
    for overlay, expected in (("prod", None), ("prod-cluster", "$south_seas_game")):
        (ingress,) = list_resources(overlay, "Ingress")
        assert ingress["metadata"]["annotations"].get(hashed) == expected


@pytest.mark.parametrize("overlay", PRODUCTION)
def test_ingress_nginx_passes_the_services_503_on_and_repeats_none(overlay: str) -> None:
    for ingress in list_resources(overlay, "Ingress"):
        annotations = ingress["metadata"]["annotations"]
        assert annotations["nginx.ingress.kubernetes.io/proxy-next-upstream"] == "error timeout"
        assert annotations["nginx.ingress.kubernetes.io/disable-proxy-intercept-errors"] == "true"


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
        assert (route["apiVersion"], route["spec"]) == (
            "gateway.networking.k8s.io/v1",
            {
                "parentRefs": [{"name": "public", "namespace": "gateway", "sectionName": "https"}],
                "hostnames": ["south-seas.example.com"],
                "rules": [
                    {
                        "matches": [{"path": {"type": "PathPrefix", "value": "/"}}],
                        "timeouts": {"request": "0s", "backendRequest": "0s"},
                        "backendRefs": [{"name": "south-seas", "port": served["http"]}],
                    }
                ],
            },
        )


@pytest.mark.parametrize("overlay", PRODUCTION)
def test_prometheus_scrapes_a_port_of_the_service(overlay: str) -> None:
    (monitor,) = list_resources(overlay, "ServiceMonitor")
    (endpoint,) = monitor["spec"]["endpoints"]
    service = get_resource(overlay, "Service", "south-seas")
    assert monitor["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    assert (monitor["apiVersion"], monitor["spec"].keys()) == ("monitoring.coreos.com/v1", {"selector", "endpoints"})
    assert endpoint == {"port": "metrics", "path": "/metrics", "interval": "15s", "scrapeTimeout": "10s"}
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

"""Pods communicate only as the network policies say, and these name real ports."""

from ipaddress import ip_address, ip_network

import pytest

from service.web.outbound import is_public
from tests.deploy.manifests import (
    PRODUCTION,
    Resource,
    containers,
    get_resource,
    list_resources,
    pod_templates,
    ports,
    select_templates,
)

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

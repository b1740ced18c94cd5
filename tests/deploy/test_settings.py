"""The image and the manifests set existing settings."""

import re

from service.settings import ENV_PREFIX, OPTIONS
from service.telemetry.tracing import ENDPOINT_VARIABLES
from tests.deploy.manifests import (
    SECRETS,
    environment,
    get_resource,
    list_resources,
    ports,
    service_container,
    service_template,
)
from tests.serve_settings import variables
from tests.tools import ROOT

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

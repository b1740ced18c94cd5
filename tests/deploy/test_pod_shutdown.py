"""Pods start and stop without failed requests: see "Stopping" in docs/operating.md."""

import pytest

from service.settings import Settings
from service.web.server import HANDLER_TIMEOUT_S
from service.web.streaming import CLOSE_TIMEOUT_S
from tests.deploy.manifests import (
    PRODUCTION,
    environment,
    get_resource,
    list_resources,
    service_container,
    service_template,
)
from tests.serve_settings import parse_settings

REDIS = "redis://127.0.0.1:6379/0"


def settings_of(overlay: str) -> Settings:
    """Return the settings of the variables that an overlay sets."""
    variables = environment(overlay, service_container(overlay))
    return parse_settings(environment={name: value or REDIS for name, value in variables.items()})


def test_there_is_time_for_everything_before_the_end(overlay: str) -> None:
    """preStop; the drain; sockets told, and given time to answer; the last requests: all before SIGKILL."""
    limits = settings_of(overlay).limits
    needed = (
        service_container(overlay)["lifecycle"]["preStop"]["sleep"]["seconds"]
        + limits.drain_time_s
        + limits.close_window_s
        + (CLOSE_TIMEOUT_S + 1)
        + HANDLER_TIMEOUT_S
    )
    assert needed + 10 <= service_template(overlay)["spec"]["terminationGracePeriodSeconds"]


def test_no_pod_goes_before_its_successor_serves(overlay: str) -> None:
    strategy = get_resource(overlay, "Deployment", "south-seas")["spec"]["strategy"]["rollingUpdate"]
    assert strategy == {"maxSurge": 1, "maxUnavailable": 0}


@pytest.mark.parametrize("overlay", PRODUCTION)
def test_the_sockets_of_a_pod_have_gone_before_the_next_is_replaced(overlay: str) -> None:
    limits = settings_of(overlay).limits
    sleep = service_container(overlay)["lifecycle"]["preStop"]["sleep"]["seconds"]
    removed = sleep + limits.drain_time_s + limits.close_window_s
    assert removed <= get_resource(overlay, "Deployment", "south-seas")["spec"]["minReadySeconds"]


def test_a_pod_that_is_not_ready_is_asked_no_more_before_it_is_told_to_stop(overlay: str) -> None:
    container = service_container(overlay)
    ready = container["readinessProbe"]
    assert ready["httpGet"]["path"] == "/readyz"
    assert ready["failureThreshold"] == 1
    assert ready["periodSeconds"] <= 2
    assert container["lifecycle"]["preStop"]["sleep"]["seconds"] >= 5


def test_redis_that_is_away_restarts_nobody(overlay: str) -> None:
    for probe in ("livenessProbe", "startupProbe"):
        assert service_container(overlay)[probe]["httpGet"]["path"] == "/livez"


def test_no_proxy_ends_a_socket_that_is_only_quiet(overlay: str) -> None:
    ping = settings_of(overlay).limits.ping_interval_s
    for ingress in list_resources(overlay, "Ingress"):
        annotations = ingress["metadata"]["annotations"]
        for way in ("read", "send"):
            assert int(annotations[f"nginx.ingress.kubernetes.io/proxy-{way}-timeout"]) > 10 * ping
    for route in list_resources(overlay, "HTTPRoute"):
        assert all(rule["timeouts"] == {"request": "0s", "backendRequest": "0s"} for rule in route["spec"]["rules"])


def test_the_proxy_takes_as_large_a_body_as_the_service(overlay: str) -> None:
    for ingress in list_resources(overlay, "Ingress"):
        size = ingress["metadata"]["annotations"]["nginx.ingress.kubernetes.io/proxy-body-size"]
        assert int(size.removesuffix("k")) * 1024 == settings_of(overlay).limits.max_body_bytes

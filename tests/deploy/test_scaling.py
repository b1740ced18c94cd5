"""The production overlay is the first row of the table of what a number of games needs."""

import re

import pytest

from benchmarks.capacity import LOADS, capacity_table
from benchmarks.results import load_result
from service.settings import ENV_PREFIX
from tests.deploy.manifests import PRODUCTION, environment, get_resource, list_resources, service_container
from tests.deploy.test_settings import SAMPLER


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

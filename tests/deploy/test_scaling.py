"""The production overlay is a row of the table in docs/performance.md."""

import re

import pytest

from service.settings import ENV_PREFIX
from tests.deploy.manifests import PRODUCTION, environment, get_resource, list_resources, service_container
from tests.deploy.test_settings import SAMPLER
from tests.docs.blocks import DOCS

TEXT = (DOCS / "performance.md").read_text(encoding="utf-8")
TITLE = "10,000 played at one sitting"


@pytest.mark.parametrize("overlay", PRODUCTION)
def test_production_is_what_the_table_plans(overlay: str) -> None:
    (row,) = re.findall(rf"^\| {TITLE} \|.* (\d+) to (\d+) \|", TEXT, re.MULTILINE)
    autoscaler = get_resource(overlay, "HorizontalPodAutoscaler", "south-seas")["spec"]
    assert (autoscaler["minReplicas"], autoscaler["maxReplicas"]) == (int(row[0]), int(row[1]))
    (days,) = re.findall(rf'"{TITLE}", .*, (\d+)\),$', TEXT, re.MULTILINE)
    settings = environment(overlay, service_container(overlay))
    assert settings[f"{ENV_PREFIX}FINISHED_RETENTION_DAYS"] == days
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

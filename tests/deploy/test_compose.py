"""compose.yaml is valid, and its parts match. No container is started."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from jsonschema_rs import Draft201909Validator

from service.web.limits import Limits
from tests.deploy.test_image import DOCKERFILE, VERSION
from tests.tools import ROOT

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICE: dict[str, Any] = COMPOSE["services"]["south-seas"]
SCHEMA = json.loads(Path(__file__).with_name("data").joinpath("compose-spec.json").read_bytes())


def test_compose_takes_it() -> None:
    Draft201909Validator(SCHEMA).validate(COMPOSE)


def test_the_schema_finds_a_misspelt_key() -> None:
    wrong = {**COMPOSE, "services": {"valkey": {"image": "valkey", "helthcheck": {}}}}
    assert not Draft201909Validator(SCHEMA).is_valid(wrong)


def test_the_redis_url_names_a_service_that_is_healthy_first() -> None:
    host = urlsplit(SERVICE["environment"]["SOUTH_SEAS_REDIS_URL"]).hostname
    assert host in COMPOSE["services"]
    assert SERVICE["depends_on"][host] == {"condition": "service_healthy"}
    assert "healthcheck" in COMPOSE["services"][host]


def test_image_and_port_are_those_of_the_dockerfile() -> None:
    assert SERVICE["image"] == f"south-seas:{VERSION}"
    (exposed,) = re.findall(r"^EXPOSE (\d+)$", DOCKERFILE, re.MULTILINE)
    assert SERVICE["ports"] == [f"{exposed}:{exposed}"]


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_every_container_is_hardened(name: str) -> None:
    container = COMPOSE["services"][name]
    assert container["read_only"] is True
    assert container["cap_drop"] == ["ALL"]
    assert container["security_opt"] == ["no-new-privileges:true"]
    assert container["mem_limit"]
    user = container.get("user") or re.findall(r"^USER (\S+)$", DOCKERFILE, re.MULTILINE)[-1]
    assert user.split(":")[0] not in {"root", "0"}


def test_only_the_service_reaches_the_store() -> None:
    valkey = COMPOSE["services"]["valkey"]
    assert valkey["networks"] == ["store"]
    assert COMPOSE["networks"]["store"] == {"internal": True}
    assert SERVICE["networks"] == ["default", "store"]
    assert "ports" not in valkey


def test_a_full_store_rejects_moves_and_is_not_killed() -> None:
    valkey = COMPOSE["services"]["valkey"]
    maxmemory = valkey["command"][valkey["command"].index("--maxmemory") + 1]
    assert int(maxmemory.removesuffix("mb")) <= 0.8 * int(valkey["mem_limit"].removesuffix("m"))


def test_games_survive_the_container_that_keeps_them() -> None:
    valkey = COMPOSE["services"]["valkey"]
    (volume,) = valkey["volumes"]
    name, _, path = volume.partition(":")
    assert name in COMPOSE["volumes"]
    assert path == "/data"
    assert valkey["command"][1:5] == ["--appendonly", "yes", "--appendfsync", "everysec"]


def test_a_restart_leaves_time_to_finish() -> None:
    grace_s = int(SERVICE["stop_grace_period"].removesuffix("s"))
    assert grace_s > Limits().drain_time_s + Limits().close_window_s + 10

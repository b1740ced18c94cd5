"""The commands of docs/operating.md run, and what it names exists."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import click
import pytest
import yaml

from service.main import cli
from service.settings import ENV_PREFIX
from tests.deploy.generated import PAGE, RULES, rules
from tests.deploy.manifests import K8S, OVERLAYS, SECRETS, describe, list_resources, render
from tests.docs.blocks import blocks
from tests.redis_servers.acl import ACL, CLUSTER_ACL
from tests.serve_settings import variables
from tests.tools import ROOT

TEXT = PAGE.read_text(encoding="utf-8")
NAMESPACES = {render(overlay)[0]["metadata"]["name"]: overlay for overlay in reversed(OVERLAYS)}

CREATED_BY_PAGE = {
    "job": {"backup-now", "before-upgrade", "restore", "drill"},
    "secret": {*SECRETS, "south-seas-tls"},
    "configmap": {"south-seas-redis-ca"},
}
"""What the page has the operator create."""


@cache
def commands() -> tuple[tuple[str, ...], ...]:
    """Return every command of the page's shell blocks, in words; each part of a pipe is one."""
    result: list[tuple[str, ...]] = []
    for block in blocks("operating"):
        if block.language == "sh":
            lines = block.code.replace("\\\n", " ").splitlines()
            result += (tuple(words) for line in lines for words in _piped(shlex.split(line, comments=True)))
    return tuple(result)


def _piped(words: list[str]) -> Iterator[list[str]]:
    while "|" in words:
        yield words[: words.index("|")]
        words = words[words.index("|") + 1 :]
    yield words


def commands_of(program: str) -> list[tuple[str, ...]]:
    """Return the commands of one program."""
    return [words for words in commands() if words[0] == program]


def arguments_after(words: tuple[str, ...], *flags: str) -> list[str]:
    """Return what follows one of these flags."""
    return [value for flag, value in pairwise(words) if flag in flags]


def test_the_page_has_commands() -> None:
    assert {words[0] for words in commands()} == {"docker", "kind", "kubectl", "curl", "helm", "python"}
    assert len(commands_of("kubectl")) > 15


def test_scripts_that_are_run_are_there() -> None:
    assert all((ROOT / words[1]).is_file() for words in commands_of("python"))


@pytest.mark.parametrize("words", commands_of("kubectl"), ids=" ".join)
def test_what_kubectl_is_told_to_apply_is_there(words: tuple[str, ...]) -> None:
    for overlay in arguments_after(words, "-k"):
        assert (ROOT / overlay / "kustomization.yaml").is_file()
    for file in arguments_after(words, "-f", "--filename"):
        assert file in {"-", "drill.json"} or (ROOT / file).is_file()


@pytest.mark.parametrize("words", commands_of("kubectl"), ids=" ".join)
def test_what_kubectl_is_asked_of_is_part_of_an_overlay(words: tuple[str, ...]) -> None:
    namespaces = arguments_after(words, "--namespace")
    assert all(namespace in NAMESPACES for namespace in namespaces)
    for word in words:
        kind, slash, name = word.removeprefix("--from=").partition("/")
        if slash and kind in {"deployment", "service", "cronjob", "job"}:
            there = {describe(one).lower() for one in render(NAMESPACES[namespaces[0]])}
            assert f"{kind}/{name}" in there or name in CREATED_BY_PAGE.get(kind, ())


@pytest.mark.parametrize("words", commands_of("kubectl"), ids=" ".join)
def test_what_kubectl_makes_and_removes_has_the_names_that_others_ask_for(words: tuple[str, ...]) -> None:
    if "create" in words:
        kind, *rest = words[words.index("create") + 1 :]
        name = rest[1] if rest[0] in {"generic", "tls"} else rest[0]
        assert name in CREATED_BY_PAGE[kind]
    if "delete" in words and "kind" not in words:
        kind, name = words[words.index("delete") + 1 :][:2]
        assert name in CREATED_BY_PAGE.get(kind, ()) or f"{kind}/{name}" in {
            describe(one).lower() for one in render("prod")
        }
    for selector in arguments_after(words, "--selector"):
        assert selector in yaml.safe_dump(render("prod")).replace(": ", "=")


def test_helm_is_given_values_that_are_there_and_the_cluster_is_asked_for_a_metric_that_they_make() -> None:
    (values,) = [file for words in commands_of("helm") for file in arguments_after(words, "--values")]
    rules_of = yaml.safe_load((ROOT / values).read_text())["rules"]["custom"]
    (requested,) = [path for words in commands_of("kubectl") for path in arguments_after(words, "--raw")]
    assert requested.rpartition("/")[2] in {rule["name"]["as"] for rule in rules_of}
    assert requested.split("/")[5] in NAMESPACES


def test_secrets_are_made_with_the_keys_that_the_pods_read() -> None:
    created, _archive = [words for words in commands_of("kubectl") if "generic" in words]
    (source,) = [word for word in created if word.startswith("--from-file")]
    assert source.split("=")[1] == f"{ENV_PREFIX}REDIS_URL"
    (ingress,) = list_resources("prod", "Ingress")
    assert ingress["spec"]["tls"][0]["secretName"] in CREATED_BY_PAGE["secret"]


def test_docker_is_given_arguments_that_the_dockerfile_takes() -> None:
    taken = set(re.findall(r"^ARG (\w+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE))
    given = {
        value.partition("=")[0] for words in commands_of("docker") for value in arguments_after(words, "--build-arg")
    }
    assert given
    assert given | {*re.findall(r"--build-arg (\w+)", TEXT)} <= taken


def test_every_command_of_the_service_is_there_with_its_flags() -> None:
    context = click.Context(cli)
    for code in re.findall(r"`(?:south-seas) ([^`]+)`", TEXT) + re.findall(r"-- south-seas ([^`\n]+)`", TEXT):
        name, *rest = code.split()
        if name.startswith("--"):
            assert name in {flag for option in cli.params for flag in option.opts}
            continue
        command = cli.get_command(context, name)
        assert command is not None, name
        flags = {flag for option in command.params for flag in option.opts}
        assert {word for word in rest if word.startswith("--")} <= flags


def test_every_setting_that_is_named_is_there() -> None:
    named = set(re.findall(rf"{ENV_PREFIX}[A-Z_]+\b", TEXT))
    assert named <= variables()


def test_every_path_and_target_that_is_named_is_there() -> None:
    for path in re.findall(r"`((?:k8s|service|observability|docs)/[\w/.-]+)`", TEXT):
        assert (ROOT / path).exists(), path
    for name in re.findall(r"`components/([\w-]+)`", TEXT):
        assert (K8S / "components" / name).is_dir(), name
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {*re.findall(r"`make ([a-z-]+)`", TEXT)} <= targets


def test_every_alert_that_is_named_is_there_and_every_one_that_wakes_somebody_is_named() -> None:
    rules_of = [one["spec"]["groups"] for one in list_resources("prod", "PrometheusRule")]
    alerts = [rule for groups in rules_of for group in groups for rule in group["rules"] if "alert" in rule]
    named = set(re.findall(r"`(SouthSeas\w+)`", TEXT))
    assert named <= {alert["alert"] for alert in alerts}
    assert {alert["alert"] for alert in alerts if alert["labels"]["severity"] == "page"} <= named


def test_what_it_calls_a_change_is_marked() -> None:
    for overlay in ("prod", "prod-cluster"):
        assert "change:" in (K8S / "overlays" / overlay / "kustomization.yaml").read_text()


def test_the_alerts_of_the_cluster_are_up_to_date() -> None:
    """`python -m tests.deploy.generated` makes them so."""
    assert RULES.read_text(encoding="utf-8") == rules()


def test_the_page_gives_the_service_what_it_needs_in_redis_and_no_more() -> None:
    assert f"ACL SETUSER south-seas on >PASSWORD {ACL}\n" in TEXT
    assert f"`{CLUSTER_ACL.removeprefix(ACL).strip()}`" in TEXT

"""What docs/operating.md names exists, and its commands fit the manifests."""

import re
import shlex
from collections.abc import Iterator
from itertools import pairwise

import click
import pytest
import yaml

from service.main import cli
from service.settings import ENV_PREFIX
from tests.deploy.generated import RULES, rules
from tests.deploy.manifests import K8S, OVERLAYS, SECRETS, describe, list_resources, render
from tests.docs.blocks import DOCS, blocks
from tests.redis_servers.acl import ACL, CLUSTER_ACL
from tests.serve_settings import variables
from tests.tools import ROOT

TEXT = (DOCS / "operating.md").read_text(encoding="utf-8")
NAMESPACES = {render(overlay)[0]["metadata"]["name"]: overlay for overlay in reversed(OVERLAYS)}
CREATED = {
    *("job/before-upgrade", "job/restore", "job/drill", "configmap/south-seas-redis-ca"),
    *(f"secret/{name}" for name in (*SECRETS, "south-seas-tls")),
}
"""What the page has the operator create."""


def words_of(program: str) -> Iterator[list[str]]:
    """Yield each command of a program in the page's shell blocks; each part of a pipe is one."""
    for block in blocks("operating"):
        if block.language == "sh":
            for line in block.code.replace("\\\n", " ").splitlines():
                for command in " ".join(shlex.split(line, comments=True)).split(" | "):
                    if command.startswith(program):
                        yield command.split()


def kubectl_names(words: list[str]) -> Iterator[str]:
    """Yield the resources that a command names, as `kind/name`."""
    for word in words:
        kind, slash, name = word.removeprefix("--from=").partition("/")
        if slash and kind in {"deployment", "service", "cronjob", "job"}:
            yield f"{kind}/{name}"
    for verb in {"create", "delete"} & {*words}:
        kind, *rest = words[words.index(verb) + 1 :]
        yield f"{kind}/{rest[1] if rest[0] in {'generic', 'tls'} else rest[0]}"


@pytest.mark.parametrize("words", (*words_of("kubectl"),), ids=" ".join)
def test_kubectl_is_told_of_files_and_resources_that_exist(words: list[str]) -> None:
    for flag, value in pairwise(words):
        if flag == "-k":
            assert (ROOT / value / "kustomization.yaml").is_file()
        if flag in {"-f", "--filename"}:
            assert value in {"-", "drill.json"} or (ROOT / value).is_file()
        if flag == "--selector":
            assert value in yaml.safe_dump(render("prod")).replace(": ", "=")
    overlay = NAMESPACES[words[words.index("--namespace") + 1]] if "--namespace" in words else "prod"
    there = {describe(one).lower() for one in render(overlay)}
    assert {*kubectl_names(words)} <= there | CREATED


def test_other_commands_name_what_exists() -> None:
    assert all((ROOT / words[1]).is_file() for words in words_of("python"))
    (helm,) = words_of("helm")
    metrics = yaml.safe_load((ROOT / helm[helm.index("--values") + 1]).read_text())["rules"]["custom"]
    (raw,) = [words[-1] for words in words_of("kubectl") if "--raw" in words]
    assert raw.rpartition("/")[2] in {rule["name"]["as"] for rule in metrics}
    assert raw.split("/")[5] in NAMESPACES
    arguments = {*re.findall(r"--build-arg (\w+)", TEXT)}
    assert arguments
    assert arguments <= {*re.findall(r"^ARG (\w+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)}


def test_secrets_have_the_keys_that_the_pods_read() -> None:
    assert f"generic south-seas --from-file={ENV_PREFIX}REDIS_URL=" in TEXT
    (ingress,) = list_resources("prod", "Ingress")
    assert f"secret/{ingress['spec']['tls'][0]['secretName']}" in CREATED


def test_every_command_of_the_service_exists_with_its_flags() -> None:
    codes = re.findall(r"(?:`|-- )south-seas ([^`\n]+)`", TEXT)
    assert len(codes) > 3
    for code in codes:
        name, *flags = code.split()
        command = cli if name.startswith("--") else cli.get_command(click.Context(cli), name)
        assert command is not None, name
        known = {flag for option in command.params for flag in option.opts} | {"--help"}
        assert {word for word in (name, *flags) if word.startswith("--")} <= known


def test_every_setting_path_target_and_alert_exists() -> None:
    assert {*re.findall(rf"{ENV_PREFIX}[A-Z_]+\b", TEXT)} <= variables()
    for path in re.findall(r"`((?:k8s|service|deploy|docs)/[\w/.-]+)`", TEXT):
        assert (ROOT / path).exists(), path
    assert all((K8S / "components" / name).is_dir() for name in re.findall(r"`components/([\w-]+)`", TEXT))
    makefile = (ROOT / "Makefile").read_text()
    assert all(f"\n{target}:" in makefile for target in re.findall(r"`make ([a-z-]+)`", TEXT))
    alerts = yaml.safe_dump(list_resources("prod", "PrometheusRule"))
    assert all(f"alert: {name}\n" in alerts for name in re.findall(r"`(SouthSeas\w+)`", TEXT))
    assert "change:" in (K8S / "overlays" / "prod" / "kustomization.yaml").read_text()


def test_the_alerts_of_the_cluster_are_up_to_date() -> None:
    """`python -m tests.deploy.generated` makes them so."""
    assert RULES.read_text(encoding="utf-8") == rules()


def test_the_page_gives_the_service_what_it_needs_in_redis_and_no_more() -> None:
    assert f"ACL SETUSER south-seas on >PASSWORD {ACL}\n" in TEXT
    assert f"`{CLUSTER_ACL.removeprefix(ACL).strip()}`" in TEXT

"""What docs/operating.md names exists; backups, restores, alerts and the image's contents work as it says."""

import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import aclosing
from http import HTTPStatus
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import click
import pytest
import yaml
from aiohttp import ClientSession

from service.main import cli
from service.settings import ENV_PREFIX
from tests.deploy.generated import RULES, rules
from tests.deploy.manifests import (
    K8S,
    OVERLAYS,
    PRODUCTION,
    SECRETS,
    Resource,
    containers,
    describe,
    environment,
    list_resources,
    render,
    service_container,
)
from tests.deploy.test_image import load_script
from tests.docs.blocks import DOCS, blocks
from tests.polling import wait_until
from tests.redis_servers import ACL, CLUSTER_ACL, create_access, standalone
from tests.server_process import start_server, variables
from tests.telemetry.observed_instances import promtool
from tests.tools import ROOT, run_program
from tests.web.http_game import create_game

TEXT = (DOCS / "operating.md").read_text(encoding="utf-8")
CREATED = {
    *("job/before-upgrade", "job/restore", "configmap/south-seas-redis-ca"),
    *(f"secret/{name}" for name in (*SECRETS, "south-seas-tls")),
}
"""What the page has the operator create."""


def namespaces() -> dict[str, str]:
    """Return the overlay of each namespace."""
    return {render(overlay)[0]["metadata"]["name"]: overlay for overlay in reversed(OVERLAYS)}


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
            assert value in {"-", "restore.json"} or (ROOT / value).is_file()
        if flag == "--selector":
            assert value in yaml.safe_dump(render("prod")).replace(": ", "=")
    overlay = namespaces()[words[words.index("--namespace") + 1]] if "--namespace" in words else "prod"
    there = {describe(one).lower() for one in render(overlay)}
    assert {*kubectl_names(words)} <= there | CREATED


def test_other_commands_name_what_exists() -> None:
    assert all((ROOT / words[1]).is_file() for words in words_of("python"))
    (helm,) = words_of("helm")
    metrics = yaml.safe_load((ROOT / helm[helm.index("--values") + 1]).read_text())["rules"]["custom"]
    (raw,) = [words[-1] for words in words_of("kubectl") if "--raw" in words]
    assert raw.rpartition("/")[2] in {rule["name"]["as"] for rule in metrics}
    assert raw.split("/")[5] in namespaces()
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


VOLUME = "/backup"
MOUNTED = "/etc/south-seas/backups/backups.py"
SCRIPT = K8S / "components" / "backup" / "backups.py"


def _container(overlay: str, job: str) -> Resource:
    (container,) = [one for title, one in containers(overlay) if title == f"CronJob/{job}"]
    return container


def run_backups(directory: Path, *task: str) -> subprocess.CompletedProcess[str]:
    """Run the script; raises if it fails."""
    command = (sys.executable, str(SCRIPT), str(directory), *task)
    return subprocess.run(command, capture_output=True, text=True, check=True)


def backups(directory: Path, *task: str) -> str:
    """Return what the script prints."""
    return run_backups(directory, *task).stdout.strip()


BACKUPS = {
    "2026-01-01T030000Z": ("WHOLE",),
    "2026-01-02T030000Z": ("LOSS",),
    "2026-01-03T030000Z": ("LOSS",),
    "2026-01-03T080000Z": ("WHOLE", "LOSS"),
    "2026-01-04T030000Z": ("WHOLE",),
    "2026-01-05T030000Z": ("MISSING",),
    "2026-01-06T030000Z": (),
    "2026-01-07T030000Z": ("MISSING",),
    "2026-01-07T090000Z": ("MISSING",),
    "2026-01-08T030000Z": ("MISSING",),
    "2026-01-09T030000Z": ("LOSS",),
    "2026-01-10T030000Z": ("LOSS",),
    "lost+found": (),
}


@pytest.fixture
def volume(tmp_path: Path) -> Path:
    """Return a volume with backups, and files that end each."""
    for name, marks in BACKUPS.items():
        (tmp_path / name).mkdir()
        for mark in marks:
            (tmp_path / name / mark).touch()
    return tmp_path


def test_backups_of_the_newest_days_those_beside_a_loss_and_the_newest_whole_one_are_kept(volume: Path) -> None:
    for _ in range(2):
        backups(volume, "keep", "2")
        assert sorted(left.name for left in volume.iterdir()) == [
            "2026-01-01T030000Z",
            "2026-01-02T030000Z",
            "2026-01-04T030000Z",
            "2026-01-07T090000Z",
            "2026-01-08T030000Z",
            "2026-01-09T030000Z",
            "2026-01-10T030000Z",
            "lost+found",
        ]


def test_the_newest_backup_without_a_loss_is_chosen_unless_another_is_named(volume: Path) -> None:
    (volume / "2026-01-08T030000Z" / "one.json.gz").touch()
    assert backups(volume, "choose") == str(volume / "2026-01-08T030000Z")
    assert backups(volume, "choose", "2026-01-09T030000Z") == str(volume / "2026-01-09T030000Z")
    listed = run_backups(volume, "choose").stderr.splitlines()
    assert "-> 2026-01-08T030000Z  1 games  MISSING" in listed
    assert "   2026-01-03T080000Z  0 games  WHOLE LOSS" in listed
    for directory, *name in ((volume, "2026-02-01T030000Z"), (volume / "lost+found",)):
        with pytest.raises(subprocess.CalledProcessError):
            backups(directory, "choose", *name)


@pytest.mark.parametrize("overlay", PRODUCTION)
@pytest.mark.parametrize("job", ("south-seas-backup", "south-seas-restore"))
def test_the_jobs_find_redis_the_volume_and_the_script(overlay: str, job: str) -> None:
    container = _container(overlay, job)
    served = environment(overlay, service_container(overlay))
    assert (
        {"SOUTH_SEAS_REDIS_URL", "SOUTH_SEAS_REDIS_WAIT_REPLICAS"}
        <= environment(overlay, container).keys()
        <= served.keys()
    )
    mounted = [mount["mountPath"] for mount in container["volumeMounts"]]
    assert mounted == ["/etc/south-seas/redis-ca", VOLUME, str(Path(MOUNTED).parent)]
    assert MOUNTED in container["args"][0]


async def _run(job: str, volume: Path, redis_url: str, code: int = 0, **parameters: str) -> str:
    """Run a job's shell script as the cluster would, but for its paths."""
    (shell,) = _container("prod", job)["args"]
    shell = shell.replace(f"{MOUNTED} {VOLUME}", f"{SCRIPT} {volume}")
    environment = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "SOUTH_SEAS_REDIS_URL": redis_url}
    environment |= parameters
    ended = await run_program(*_container("prod", job)["command"], shell, env=environment)
    assert ended.returncode == code, ended
    return ended.stdout + ended.stderr


async def test_all_games_come_back_into_an_empty_redis_and_go_on(tmp_path: Path) -> None:
    """With the Redis user that the page says, who may do all that the service and the jobs need, and not more."""
    volume = tmp_path / "volume"
    volume.mkdir()

    async def back_up(code: int = 0, **parameters: str) -> str:
        second = int(time.time())
        await wait_until(lambda: int(time.time()) != second)  # each has another name
        return await _run("south-seas-backup", volume, deployment.url, code, **parameters)

    async with standalone(tmp_path, access=create_access(tmp_path, ACL)) as deployment:
        async with start_server(tmp_path / "data", deployment.url) as instance, ClientSession(instance.url) as client:
            game = await create_game(client, [{"name": "Ana"}, {"bot": "greedy"}], first_seat=0)
            async with client.get(f"{game.path}/diffs", headers={"Accept": "text/event-stream"}) as stream:
                assert await stream.content.readline()
                assert "exported 1 games" in await back_up()
                assert ", 1 unchanged, 0 failed" in await back_up()
            async with aclosing(deployment.nodes[0].client()) as redis:
                await redis.flushall()
            async with client.get(game.path) as removed:
                assert removed.status == HTTPStatus.NOT_FOUND
            for _ in range(2):
                assert "marked LOSS: 1 of 1 games of" in await back_up(code=4)
            assert "-> " in await _run("south-seas-restore", volume, deployment.url, BACKUP=min(volume.iterdir()).name)
            assert await game.get_json() == game.created["game"]
            await game.act_successfully()
            assert "imported 0 games, 1 skipped" in await _run("south-seas-restore", volume, deployment.url)
            assert "exported 1 games" in await back_up(ACCEPT_LOSS="yes")
            assert ", 1 unchanged, 0 failed" in await back_up()
        async with aclosing(deployment.nodes[0].client()) as redis:
            assert await redis.acl_log() == []


@pytest.mark.parametrize("overlay", PRODUCTION)
def test_alerts_are_valid_have_a_runbook_and_a_name_of_their_own(overlay: str, tmp_path: Path) -> None:
    """The overlay sets where runbooks are, in the first rule of all."""
    names, urls = [], []
    for resource in list_resources(overlay, "PrometheusRule"):
        file = tmp_path / f"{resource['metadata']['name']}.yaml"
        file.write_text(yaml.safe_dump(resource["spec"]))
        promtool("check", "rules", str(file))
        rules = [rule for group in resource["spec"]["groups"] for rule in group["rules"]]
        urls += [rule["labels"]["url"] for rule in rules[:1] if rule.get("record") == "south_seas:runbooks"]
        for rule in [rule for rule in rules if "alert" in rule]:
            names.append(rule["alert"])
            assert rule["labels"]["severity"] in {"page", "ticket"}
            assert all(
                rule["annotations"][part]
                for part in ("runbook_url", "summary", "description", "means", "look_at", "do")
            )
    assert len(names) == len({*names}) > 10
    assert urls == ["https://south-seas.example.com/docs/runbooks/"]


@pytest.fixture(scope="module")
def collect() -> ModuleType:
    """Import the script."""
    return load_script("collect")


def test_a_file_comes_with_all_links_that_lead_to_it(collect: ModuleType, tmp_path: Path) -> None:
    source, root = (tmp_path / "here").resolve(), tmp_path / "root"
    (source / "versions" / "3").mkdir(parents=True)
    (source / "versions" / "3" / "program").write_text("it")
    (source / "current").symlink_to("versions/3")
    (source / "program").symlink_to(source / "current" / "program")
    assert [*collect.copy_with_links(source / "program", root)] == [source / "versions" / "3" / "program"]
    copy = root / source.relative_to("/")
    assert (copy / "program").readlink() == source / "current" / "program"
    assert (copy / "current").readlink() == Path("versions/3")
    assert (copy / "versions" / "3" / "program").read_text() == "it"


def test_libraries_of_all_programs_are_found(collect: ModuleType, tmp_path: Path) -> None:
    [*collect.copy_with_links(Path(sys.executable).resolve(), tmp_path)]
    names = {library.name.partition(".so")[0] for library in collect.shared_libraries(tmp_path)}
    assert {"libc", "libm"} <= names
    assert any(name.startswith("ld-linux") for name in names)


def test_everything_gets_one_date(collect: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("nowhere")
    collect.set_timestamps(tmp_path, 1_000_000_000)
    assert {one.lstat().st_mtime for one in (tmp_path, *tmp_path.iterdir())} == {1_000_000_000}

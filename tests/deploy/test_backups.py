"""The backup and restore jobs work, with the script from the manifests."""

import asyncio
import re
import subprocess
import sys
from contextlib import aclosing
from http import HTTPStatus
from pathlib import Path

import pytest
from aiohttp import ClientSession

from tests.deploy.manifests import K8S, PRODUCTION, Resource, environment, get_resource, service_container
from tests.programs import run_program
from tests.redis_servers import create_access, standalone
from tests.server_process import start_server
from tests.tools import ROOT
from tests.web.http_game import create_game

VOLUME = "/backup"
MOUNTED = "/etc/south-seas/backups/backups.py"
SCRIPT = K8S / "components" / "backup" / "backups.py"


def _container(overlay: str, job: str) -> Resource:
    (container,) = get_resource(overlay, "CronJob", job)["spec"]["jobTemplate"]["spec"]["template"]["spec"][
        "containers"
    ]
    result: Resource = container
    return result


def backups(directory: Path, *task: str) -> str:
    """Return what the script prints; raises if it fails."""
    finished = subprocess.run(
        [sys.executable, SCRIPT, directory, *task], capture_output=True, text=True, check=True, timeout=30
    )
    return finished.stdout.strip()


def test_the_newest_that_are_finished_are_kept_the_newest_that_is_whole_and_the_newest_of_all(tmp_path: Path) -> None:
    for day in range(1, 7):
        (tmp_path / f"2026-01-0{day}T030000Z").mkdir()
    for day, mark in ((1, "WHOLE"), (2, "WHOLE"), (3, "MISSING"), (5, "MISSING")):
        (tmp_path / f"2026-01-0{day}T030000Z" / mark).touch()
    (tmp_path / "lost+found").mkdir()
    assert backups(tmp_path, "newest") == str(tmp_path / "2026-01-05T030000Z")
    backups(tmp_path, "keep", "2")
    assert sorted(left.name for left in tmp_path.iterdir()) == [
        "2026-01-02T030000Z",
        "2026-01-03T030000Z",
        "2026-01-05T030000Z",
        "2026-01-06T030000Z",
        "lost+found",
    ]


def test_where_there_is_none_nothing_is_brought_back(tmp_path: Path) -> None:
    (tmp_path / "2026-01-06T030000Z").mkdir()
    with pytest.raises(subprocess.CalledProcessError):
        backups(tmp_path, "newest")


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


async def _run(job: str, volume: Path, redis_url: str) -> str:
    """Run a job's shell script as the cluster would, but for its paths."""
    (shell,) = _container("prod", job)["args"]
    shell = shell.replace(f"{MOUNTED} {VOLUME}", f"{SCRIPT} {volume}")
    environment = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "SOUTH_SEAS_REDIS_URL": redis_url}
    ended = await run_program(*_container("prod", job)["command"], shell, env=environment)
    assert ended.returncode == 0, ended
    return ended.stdout + ended.stderr


async def test_all_games_come_back_into_an_empty_redis_and_go_on(tmp_path: Path) -> None:
    """With the Redis user that the page says, who may do all that the service and the jobs need, and not more."""
    volume = tmp_path / "volume"
    volume.mkdir()
    async with standalone(tmp_path, access=create_access(tmp_path, acl=user_of_the_page())) as deployment:
        async with start_server(tmp_path / "data", deployment.url) as instance, ClientSession(instance.url) as client:
            game = await create_game(client, [{"name": "Ana"}, {"bot": "greedy"}], first_seat=0)
            async with client.get(f"{game.path}/diffs", headers={"Accept": "text/event-stream"}) as stream:
                assert await stream.content.readline()
                assert "exported 1 games" in await _run("south-seas-backup", volume, deployment.url)
                await asyncio.sleep(1)  # the next has another name
                assert ", 1 unchanged, 0 failed" in await _run("south-seas-backup", volume, deployment.url)
            async with aclosing(deployment.nodes[0].client()) as redis:
                await redis.flushall()
            async with client.get(game.path) as removed:
                assert removed.status == HTTPStatus.NOT_FOUND
            assert "imported 1 games" in await _run("south-seas-restore", volume, deployment.url)
            assert await game.get_json() == game.created["game"]
            await game.act_successfully()
        async with aclosing(deployment.nodes[0].client()) as redis:
            assert await redis.acl_log() == []


def user_of_the_page() -> str:
    """Return the permissions that docs/operating.md gives the service's user in Redis."""
    page = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
    (rules,) = re.findall(r"^ACL SETUSER south-seas on >PASSWORD (.*)$", page, re.MULTILINE)
    return str(rules)

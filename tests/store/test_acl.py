"""The documented ACL allows all commands in the source, and nothing else. The other tests run on it."""

import re
from contextlib import aclosing
from pathlib import Path

from service import store
from service.store.game_store import connect
from tests.redis_servers import sentinel
from tests.redis_servers.acl import ACL, CLUSTER_ACL, SENTINEL_ACL
from tests.redis_servers.node import execute_text

FOLDER = Path(store.__path__[0])

CONTAINERS = {"cluster", "sentinel"}
"""Commands of which only some subcommands are allowed."""


def allowed(acl: str) -> set[str]:
    return {word.removeprefix("+") for word in acl.split() if word.startswith("+")}


def test_every_command_in_the_source_is_allowed() -> None:
    commands = {
        word.lower()
        for file in (*FOLDER.rglob("*.lua"), *FOLDER.rglob("*.py"))
        for word in re.findall(r"""(?:call\(|execute\()['"]([A-Z]{3,})['"]""", file.read_text())
    }
    assert {"hmget", "zadd", "xadd", "scan"} <= commands
    assert commands - CONTAINERS <= allowed(ACL)


def test_no_administrative_command_is_allowed() -> None:
    risky = {"keys", "flushall", "flushdb", "config", "debug", "shutdown", "acl", "client", "monitor", "replicaof"}
    assert not allowed(CLUSTER_ACL) & risky
    assert not [word for word in CLUSTER_ACL.split() if word.startswith("+@")]
    assert CLUSTER_ACL.startswith("~south-seas:* &south-seas:* -@all ")


async def test_the_sentinel_acl_is_sufficient(tmp_path: Path) -> None:
    async with sentinel(tmp_path, replicas=1, sentinels=1) as deployment:
        async with aclosing(deployment.sentinels[0].client()) as client:
            await execute_text(client, "ACL", "SETUSER", "asking", "on", ">secret", "-@all", *SENTINEL_ACL.split())
        url = deployment.url.partition("?")[0]
        async with connect(f"{url}?sentinel_username=asking&sentinel_password=secret") as store:
            await store.ping()

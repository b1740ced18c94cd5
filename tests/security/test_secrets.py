"""The service logs no secret, whatever happens and at any log level."""

import asyncio
import json
from contextlib import aclosing
from pathlib import Path
from typing import Any

import aiohttp
from redis.asyncio import Redis

from service.engine import decode_snapshot, encode_snapshot
from service.engine.game import add_checksum
from service.store import keys
from tests.redis_servers.access import SERVICE_USER
from tests.security.secret_server import ENCODED, PASSWORD, LoggedService, password_redis, start_service
from tests.web.http_game import bearer_header

KEY = "idempotency-key-which-makes-tokens-0123456789"
CREATOR = "creator-key-that-finds-all-my-games-0123456789"
HOOK = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
WRONG = "a-token-that-opens-nothing-but-is-somebodys-0123"
COOKIE = "session=a-cookie-of-another-service-0123456789"


class Visitor:
    """A client that does everything once, and remembers all secrets that it received."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self.session = session
        self.secrets = [KEY, CREATOR, HOOK, WRONG, COOKIE, PASSWORD, ENCODED]
        self.path = ""
        self.owner = ""

    async def request(self, method: str, path: str, token: str | None = None, **options: Any) -> tuple[int, Any]:
        """Send a request; return its status and body."""
        headers = {**(bearer_header(token) if token else {}), **options.pop("headers", {}), "Cookie": COOKIE}
        async with self.session.request(method, path, headers=headers, **options) as response:
            text = await response.text()
            return response.status, json.loads(text) if "json" in response.content_type else text

    async def create(self) -> None:
        """Create a game with everything."""
        players = [{"name": "Ana", "external_user": "u1"}, {"open": True}, {"bot": "random"}]
        headers = {"Idempotency-Key": KEY, "Creator-Key": CREATOR}
        body = {"players": players, "visibility": "private"}
        first = await self.request("POST", "/v1/games", json=body, headers=headers)
        status, created = await self.request("POST", "/v1/games", json=body, headers=headers)
        assert (status, created) == first
        assert status == 201, created
        self.path, self.owner = f"/v1/games/{created['game']['id']}", created["owner_token"]
        self.secrets += [self.owner, created["spectator_token"], *(seat["token"] for seat in created["seats"])]
        status, joined = await self.request(
            "POST", self.path + "/seats", created["spectator_token"], json={"name": "Bo"}
        )
        assert status == 200, joined
        self.secrets.append(joined["token"])

    async def play(self) -> None:
        """Play, with legal and illegal moves."""
        for _ in range(3):
            _, moves = await self.request("GET", self.path + "/legal-moves", self.owner)
            if not moves["moves"]:
                break
            move = {"move": moves["moves"][0]["id"]}
            await self.request(
                "POST", self.path + "/actions", self.owner, json=move, headers={"Idempotency-Key": "turn-1"}
            )
        await self.request("POST", self.path + "/undo", self.owner)
        hook = {"url": "http://127.0.0.1:9/hook", "secret": HOOK}
        status, received = await self.request("POST", self.path + "/webhooks", self.owner, json=hook)
        assert status == 201, received
        for what in ("", "/diffs", "/story", "/scores", "/board.svg", "/webhooks"):
            assert (await self.request("GET", self.path + what, self.owner))[0] == 200, what
        await self.request("GET", "/v1/seats/me/games", f"{self.owner}, {WRONG}")
        await self.request("GET", "/v1/seats/me/games", CREATOR)

    async def provoke_rejections(self) -> None:
        """Send requests that are rejected."""
        await self.request("GET", self.path, WRONG)
        await self.request("GET", f"{self.path}?token={WRONG}")
        await self.request("POST", self.path + "/actions", WRONG, json={"move": WRONG, "token": WRONG})
        await self.request("POST", self.path + "/actions", self.owner, data=f'{{"token": "{WRONG}"')
        await self.request("GET", f"/nowhere/{WRONG}", self.owner)
        await self.request("POST", "/v1/games", json={"players": [], "token": WRONG}, headers={"Idempotency-Key": KEY})
        await self.request("GET", self.path, headers={"Authorization": f"Basic {WRONG}"})

    async def watch(self) -> None:
        """Watch over a WebSocket."""
        async with self.session.ws_connect("/v1/ws", headers=bearer_header(self.owner)) as socket:
            game = self.path.rpartition("/")[2]
            for token in (self.owner, WRONG):
                await socket.send_json({"type": "auth", "game": game, "token": token})
            await socket.send_json({"type": "subscribe", "game": game})
            await socket.send_str(f'{{"type": "auth", "token": "{WRONG}"')
            await socket.send_json({"type": "act", "game": game, "move": "i9", "key": KEY})
            await socket.send_json({"type": "ping", "id": "last"})
            async with asyncio.timeout(10):
                while (await socket.receive_json()).get("id") != "last":
                    pass

    async def provoke_failures(self, redis: Redis) -> None:
        """Provoke an unexpected exception, and then an unavailable store."""
        key = keys.game(self.path.rpartition("/")[2])
        snapshot: Any = await redis.hget(key, "snapshot")
        game = decode_snapshot(snapshot)
        game.display = [10_000]
        await redis.hset(key, "snapshot", add_checksum(encode_snapshot(game)))
        assert (await self.request("GET", self.path, self.owner))[0] == 500
        await redis.acl_setuser(SERVICE_USER, enabled=False)
        await redis.client_kill_filter(_type="normal", skipme=True)
        for _ in range(3):
            await self.request("GET", self.path, self.owner)
            await self.request("GET", "/readyz")


def check_no_secrets(said: LoggedService, secrets: list[str]) -> None:
    """Fail if a secret, or most of one, was logged."""
    text = said.text()
    for secret in secrets:
        assert secret not in text
        assert secret[: len(secret) // 2 + 4] not in text


async def test_no_secret_is_logged(tmp_path: Path) -> None:
    async with password_redis(tmp_path) as deployment, start_service(tmp_path, deployment.url) as service:
        async with aiohttp.ClientSession(service.url) as session, aclosing(deployment.nodes[0].client()) as redis:
            visitor = Visitor(session)
            await visitor.create()
            await visitor.play()
            await visitor.provoke_rejections()
            await visitor.watch()
            await visitor.provoke_failures(redis)
        service.process.terminate()
        async with asyncio.timeout(20):
            await service.process.wait()
        text = service.text()
        assert "Traceback" in text
        assert "the store is unavailable" in text
        assert "GET /v1/games/{id} 200 [request_id=" in text
        check_no_secrets(service, visitor.secrets)


async def test_a_wrong_password_of_redis_is_not_logged(tmp_path: Path) -> None:
    wrong = "not-the-password-of-redis"
    async with (
        password_redis(tmp_path) as deployment,
        start_service(tmp_path, deployment.url.replace(ENCODED, wrong)) as service,
    ):
        async with aiohttp.ClientSession(service.url) as session, session.get("/readyz") as response:
            assert response.status == 503
        assert "Redis" in service.text()
        check_no_secrets(service, [wrong, PASSWORD])

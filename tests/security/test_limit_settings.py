"""Settings of limits are parsed or explained, security and CORS headers are everywhere, and `.ci/audit` reports."""

import json
import os
import subprocess
import sys
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import click
import pytest

from service.games.ports import RateLimit
from service.games.repository import Retention
from service.store.game_store import RedisStore
from service.store.pipeline import Wait
from service.web.limits import Limits
from tests.security.limited_client import every_kind, make_limits
from tests.server_process import parse_settings
from tests.tools import ROOT
from tests.web.app_server import serve


@pytest.mark.parametrize(
    ("flags", "field", "value"),
    (
        (("--log-format", "JSON"), "log_format", "json"),
        (("--log-level", "Debug"), "log_level", "debug"),
        (
            ("--redis-url", "redis://x", "--redis-wait-replicas", "1", "--redis-wait-ms", "50"),
            "redis_wait",
            Wait(1, 50),
        ),
        (("--redis-wait-replicas", "0", "--redis-wait-ms", "50"), "redis_wait", None),
        (("--redis-url", ""), "redis_url", None),
        (("--archive-url", ""), "archive_url", None),
        (("--archive-url", "file:///srv/archive"), "retention", Retention(until_archived=True)),
        ((), "host", "localhost"),
        (("--host", "::"), "metrics_host", "localhost"),
        (("--metrics-host", "::"), "metrics_host", "::"),
        (("--waiting-retention-days", "0.05", "--active-retention-days", "2"), "retention", Retention(4320, 172_800)),
        (("--access-log",), "access_log", True),
    ),
)
def test_a_setting_has_the_value_of_its_flags(flags: tuple[str, ...], field: str, value: object) -> None:
    assert getattr(parse_settings(*flags), field) == value


def test_flags_set_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOUTH_SEAS_ALLOWED_ORIGINS", "https://a.example, null")
    limits = parse_settings(
        *("--rate-time", "7/60", "--rate-limits", "off", "--trusted-proxies", "10.0.0.0/8,::1"),
        *("--max-streams-per-address", "9", "--keep-alive-timeout-s", "5"),
        *("--webhook-nameservers", "192.0.2.53", "--webhooks-allow-private"),
        *("--frame-ancestors", "https://*.a.example,http://b.example", "--base-path", "/games/"),
    ).limits
    assert limits.rate_time == RateLimit(7, 60)
    assert not limits.rate_limits
    assert limits.trusted_proxies == (ip_network("10.0.0.0/8"), ip_network("::1"))
    assert limits.allowed_origins == ("https://a.example", "null")
    assert limits.frame_ancestors == ("https://*.a.example", "http://b.example")
    assert (limits.max_streams_per_address, limits.keep_alive_timeout_s) == (9, 5.0)
    assert limits.base_path == "/games"
    assert limits.webhook_nameservers == ("192.0.2.53",)
    assert limits.webhooks_allow_private


@pytest.mark.parametrize(
    ("flag", "value"),
    (
        *(("--rate-requests", value) for value in ("100", "0/10", "10/0", "many/10")),
        *(("--trusted-proxies", value) for value in ("proxy.example", "10.0.0.1/8")),
        *(
            ("--allowed-origins", value)
            for value in ("example.org", "https://example.org/path", "https://example.org,*")
        ),
        *(("--frame-ancestors", value) for value in ("a.example", "https://a.example;", "https://a.example/b")),
        *(("--base-path", value) for value in ("games", "//games", "/a/../b", "/a b", "https://a.example/games")),
        *(("--archive-url", value) for value in ("ftp://example.org", "file:///", "file://host/archive", "s3:///x")),
        *(("--archive-url", f"s3://{value}") for value in ("key@bucket", "key:secret@bucket", "bucket/a#b", "[")),
        ("--webhook-nameservers", "ns.example"),
        *(("--redis-url", "http://example.org"), ("--max-connections", "0"), ("--hsts-max-age-s", "-1")),
    ),
)
def test_an_invalid_value_is_rejected(flag: str, value: str) -> None:
    with pytest.raises(click.BadParameter) as rejected:
        parse_settings(flag, value)
    assert flag in rejected.value.format_message()


async def test_every_response_has_the_security_headers(store: RedisStore) -> None:
    async with serve(store) as client, every_kind(client) as answers:
        for answer in answers:
            where, headers = f"{answer.method} {answer.url} {answer.status}", answer.headers
            assert headers.getall("X-Content-Type-Options") == ["nosniff"], where
            (policy,) = headers.getall("Content-Security-Policy")
            assert "default-src 'none'" in policy, where
            assert "frame-ancestors 'none'" in policy, where
            assert headers.getall("Referrer-Policy") == ["no-referrer"], where
            assert headers.getall("Server") == ["south-seas"], where
            if answer.content_type == "text/html" and answer.status == 200:
                assert headers["Cross-Origin-Opener-Policy"] == "same-origin", where
            assert "Set-Cookie" not in headers, where
            assert "Strict-Transport-Security" not in headers, where


EXPOSED = "ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, X-Request-Id"


async def test_every_origin_may_read_every_response(store: RedisStore) -> None:
    async with serve(store) as client, every_kind(client) as answers:
        for answer in answers:
            assert answer.headers["Access-Control-Allow-Origin"] == "*"
            assert answer.headers["Access-Control-Expose-Headers"] == EXPOSED
            assert "Access-Control-Allow-Credentials" not in answer.headers


async def test_the_setting_adds_strict_transport_security(store: RedisStore) -> None:
    async with serve(store, Limits(hsts_max_age_s=31_536_000)) as client, every_kind(client) as answers:
        for answer in answers:
            assert answer.headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"


async def test_a_rate_limited_response_has_the_security_headers(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_requests=1)) as client:
        answers = [await client.get("/v1/bots") for _ in range(5)]
        assert (answers[-1].status, answers[-1].headers["X-Content-Type-Options"]) == (429, "nosniff")
        assert answers[-1].headers["Access-Control-Allow-Origin"] == "*"


CLEAN = {"dependencies": [{"name": "aiohttp", "version": "3.14.5", "vulns": []}]}
WEAK = {"dependencies": [{"name": "aiohttp", "version": "0.1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3"]}]}]}
UNKNOWN = {"dependencies": [{"name": "aiohttp", "skip_reason": "not found on PyPI"}]}
NPM_CLEAN: dict[str, Any] = {"vulnerabilities": {}}
NPM_WEAK = {"vulnerabilities": {"left-pad": {"severity": "high"}}}
NPM_REFUSED = {"message": "405 Method Not Allowed"}


@pytest.mark.parametrize(
    ("python", "npm", "flags", "code", "says"),
    (
        (CLEAN, NPM_CLEAN, (), 0, "No vulnerability is known in any of the npm packages"),
        (WEAK, NPM_CLEAN, ("--if-reachable",), 1, "aiohttp 0.1: PYSEC-1, fixed in 3"),
        (CLEAN, NPM_WEAK, ("--if-reachable",), 1, "left-pad: high"),
        (WEAK, NPM_REFUSED, (), 1, "aiohttp 0.1"),
        (UNKNOWN, NPM_CLEAN, (), 2, "NOT AUDITED: Python packages: 1 of 1"),
        (CLEAN, NPM_REFUSED, (), 2, "NOT AUDITED: npm packages: 405"),
        (UNKNOWN, NPM_REFUSED, ("--if-reachable",), 0, "NOT AUDITED: npm packages: 405"),
        (None, None, (), 2, "NOT AUDITED: Python packages: no answer"),
        (None, None, ("--if-reachable",), 0, "NOT AUDITED"),
    ),
)
def test_findings_and_unreachable_registries_are_reported(
    tmp_path: Path, python: Any, npm: Any, flags: tuple[str, ...], code: int, says: str
) -> None:
    for name, received in (("pip-audit", python), ("npm", npm)):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho '{'' if received is None else json.dumps(received)}'\nexit 1\n")
        program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:/usr/bin:/bin"}
    finished = subprocess.run(
        (sys.executable, str(ROOT / ".ci" / "audit"), *flags),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == code, finished.stderr
    assert says in finished.stdout + finished.stderr


def test_the_audit_is_part_of_ci() -> None:
    assert "make audit ARGS=--if-reachable" in (ROOT / ".ci" / "run").read_text()

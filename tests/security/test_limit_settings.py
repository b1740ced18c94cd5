"""Settings of limits are parsed, and their errors say what is wrong."""

from ipaddress import ip_network

import click
import pytest

from service.games.context import Retention
from service.games.ports import RateLimit
from service.store.connection import InFlightLimits
from service.store.pipeline import Wait
from tests.serve_settings import parse_settings


@pytest.mark.parametrize(
    ("flags", "field", "value"),
    (
        (("--log-format", "JSON"), "log_format", "json"),
        (("--log-level", "Debug"), "log_level", "debug"),
        (("--redis-url", "redis://x", "--redis-wait-replicas", "2"), "redis_wait", Wait(2, 1000)),
        (
            ("--redis-url", "redis://x", "--redis-wait-replicas", "1", "--redis-wait-ms", "50"),
            "redis_wait",
            Wait(1, 50),
        ),
        (("--redis-wait-replicas", "0", "--redis-wait-ms", "50"), "redis_wait", None),
        (("--redis-url", ""), "redis_url", None),
        (("--archive-url", ""), "archive_url", None),
        (("--archive-url", "file:///srv/archive"), "archive_url", "file:///srv/archive"),
        ((), "host", "localhost"),
        (("--host", "::"), "metrics_host", "localhost"),
        (("--metrics-host", "::"), "metrics_host", "::"),
        (("--waiting-retention-days", "0.05", "--active-retention-days", "2"), "retention", Retention(4320, 172_800)),
        (("--max-redis-commands-in-flight", "200"), "redis_in_flight", InFlightLimits()._replace(commands=200)),
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
    ).limits
    assert limits.rate_time == RateLimit(7, 60)
    assert not limits.rate_limits
    assert limits.trusted_proxies == (ip_network("10.0.0.0/8"), ip_network("::1"))
    assert limits.allowed_origins == ("https://a.example", "null")
    assert (limits.max_streams_per_address, limits.keep_alive_timeout_s) == (9, 5.0)
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
        ("--webhook-nameservers", "ns.example"),
        ("--archive-url", "ftp://example.org"),
        ("--redis-url", "http://example.org"),
        ("--max-connections", "0"),
        ("--hsts-max-age-s", "-1"),
    ),
)
def test_an_invalid_value_is_rejected(flag: str, value: str) -> None:
    with pytest.raises(click.BadParameter) as rejected:
        parse_settings(flag, value)
    assert flag in rejected.value.format_message()

"""Settings of limits are parsed, and their errors say what is wrong."""

from ipaddress import ip_network

import click
import pytest

from service.games.ports import RateLimit
from service.settings import Settings, make_settings, with_all_settings


def settings(*flags: str) -> Settings:
    """Return the settings that `south-seas serve` makes of these flags."""
    created: list[Settings] = []

    @click.command()
    @with_all_settings
    def command(**values: object) -> None:
        created.append(make_settings(values))

    command.main(args=list(flags), standalone_mode=False)
    return created[0]


def test_flags_set_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOUTH_SEAS_ALLOWED_ORIGINS", "https://a.example, null")
    limits = settings(
        *("--rate-writes", "7/60", "--rate-limits", "off", "--trusted-proxies", "10.0.0.0/8,::1"),
        *("--max-streams-per-address", "9", "--keep-alive-timeout-s", "5", "--forwarded-header", "forwarded"),
    ).limits
    assert limits.rate_writes == RateLimit(7, 60)
    assert not limits.rate_limits
    assert limits.trusted_proxies == (ip_network("10.0.0.0/8"), ip_network("::1"))
    assert limits.allowed_origins == ("https://a.example", "null")
    assert (limits.max_streams_per_address, limits.keep_alive_timeout_s) == (9, 5.0)
    assert limits.forwarded_header == "forwarded"


@pytest.mark.parametrize(
    ("flag", "value"),
    (
        ("--rate-reads", "100"),
        ("--rate-reads", "0/10"),
        ("--rate-reads", "10/0"),
        ("--rate-reads", "many/10"),
        ("--trusted-proxies", "proxy.example"),
        ("--trusted-proxies", "10.0.0.1/8"),
        ("--allowed-origins", "example.org"),
        ("--allowed-origins", "https://example.org/path"),
        ("--allowed-origins", "https://example.org,*"),
        ("--forwarded-header", "x-real-ip"),
        ("--max-connections", "0"),
        ("--hsts-max-age-s", "-1"),
    ),
)
def test_an_invalid_value_is_rejected(flag: str, value: str) -> None:
    with pytest.raises(click.BadParameter) as rejected:
        settings(flag, value)
    assert flag in rejected.value.format_message()

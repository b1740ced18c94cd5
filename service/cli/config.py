"""`south-seas config check`: the settings with their origin, and the checks that a start makes, without a start."""

import re
import sys
from collections.abc import Callable, Iterable
from typing import Any

import click

from service.games.bots.registry import InvalidBot, load_bots
from service.games.ports import RateLimit
from service.games.tilesets import InvalidTileSetFile, load_catalogue
from service.settings import OPTIONS, Settings, origin_of, with_settings
from service.start_checks import fit_connections
from service.store.embedded import EmbeddedServerError, select_program
from service.store.game_store import connect
from service.store.server_check import Finding
from service.supervision import run
from service.telemetry.logs import escape_unprintable

_SECRET = re.compile(r"(//)[^/?#]*(?=@)|([?&](?!db=|ssl_)[^=&]*=)[^&]*")
"""What precedes a login in a URL, or an option that may be one however its name is encoded."""


@click.group("config")
def config_group() -> None:
    """Check the settings of an instance."""


@config_group.command("check")
@with_settings()
def check_command(settings: Settings) -> None:
    """Check the settings, and the Redis that they name, as a start does, but do not serve.

    Prints each setting with its origin, passwords masked, then a line for each check: `ok`; `warning` for what will be
    missed some day; `unavailable` for what may pass by itself, as a Redis that does not reply or takes no writes;
    `error` for what cannot work. Exits with 1 if any is unavailable or an error.
    """
    values = click.get_current_context().params
    for name in OPTIONS:
        click.echo(f"{name.replace('_', '-')} = {_format(values[name])} ({origin_of(name)})")
    _, connections = fit_connections(settings.limits, is_default=origin_of("max_connections") == "default")
    findings = [
        connections,
        _check_loading("tile sets", lambda: load_catalogue(settings.tilesets_dir)),
        _check_loading("bots", lambda: load_bots(plugins=True)),
        *_check_redis(settings),
    ]
    for finding in findings:
        click.echo(f"{finding.level:11} {escape_unprintable(finding.text)}")
    sys.exit(int(_has_failed(findings)))


def _check_loading(what: str, load: Callable[[], Any]) -> Finding:
    try:
        load()
    except (InvalidTileSetFile, InvalidBot) as error:
        return Finding("error", str(error))
    return Finding("ok", f"the {what} can be loaded")


def _check_redis(settings: Settings) -> list[Finding]:
    url = settings.redis_url
    if url is None:
        try:
            return [Finding("ok", f"an embedded server, {select_program()}, in {settings.data_dir}")]
        except EmbeddedServerError as error:
            return [Finding("error", str(error))]

    async def check() -> list[Finding]:
        async with connect(url, wait=settings.redis_wait, log_outages=False) as store:
            findings = await store.check_server()
            if not _has_failed(findings):
                await store.health.probe()
                for primary, failure in store.health.failures.items():
                    if failure is not None:
                        findings.append(Finding("unavailable", f"{failure} ({primary})"))
            return findings

    return run(check())


def _has_failed(findings: Iterable[Finding]) -> bool:
    return any(finding.level in {"unavailable", "error"} for finding in findings)


def _format(value: Any) -> str:
    """Return the value of a setting as it is written, without secrets."""
    match value:
        case None | ():
            return "-"
        case bool():
            return "on" if value else "off"
        case RateLimit():
            return f"{value.quota}/{value.window_s}"
        case tuple():
            return ",".join(map(str, value))
        case _:
            return escape_unprintable(_SECRET.sub(r"\1\2***", str(value)))

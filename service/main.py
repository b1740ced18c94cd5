"""The command `south-seas`: its settings, and the only place that wires the parts together."""

import asyncio
import logging
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
import uvloop

from service.client.errors import ClientError
from service.client.fetching import fetch_log
from service.engine.tileset_check import Fault, TileSetInvalid, parse
from service.games.bots.finding import BadBot, find_bots
from service.games.bots.table import Bots
from service.games.bots.workers import Workers
from service.games.context import Context
from service.games.logfile import BadLog, Log, read_log, write_log
from service.games.opponents import keep_going
from service.games.port import StoreUnavailable
from service.games.tilesets import BadTileSetFile, load_catalogue
from service.games.verify import Check, verify
from service.games.watch import Watch
from service.games.webhooks.delivering import Deliverer
from service.settings import Settings, to_settings, with_settings
from service.store.client import connect
from service.store.embedded import embedded
from service.store.embedded_errors import EmbeddedError
from service.store.store import RedisStore
from service.web.app import make_app
from service.web.posting import posting
from service.web.serving import StartFailed, run, running

logger = logging.getLogger(__name__)

VERIFY_AS = "SOUTH_SEAS_TOKEN"


def main() -> None:
    """Run the command; every refusal is one clear line on the error stream."""
    try:
        sys.exit(cli.main(standalone_mode=False))
    except click.exceptions.NoArgsIsHelpError as usage:
        usage.show()
        sys.exit(usage.exit_code)
    except click.ClickException as refusal:
        click.echo(f"south-seas: {refusal.format_message()}", err=True)
        sys.exit(refusal.exit_code)
    except click.exceptions.Abort:
        sys.exit(130)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(version("south-seas"), message="south-seas %(version)s")
def cli() -> None:
    """Carcassonne: South Seas over HTTP, WebSocket and server-sent events."""


@cli.command("serve")
@with_settings
def serve_command(**values: Any) -> None:
    """Run the service until SIGTERM or SIGINT.

    All state is in Redis: any number of instances may run on one. Without --redis-url this instance starts a real Redis
    server of its own, whose games survive restarts.
    """
    try:
        uvloop.run(serve(to_settings(values)))
    except (StartFailed, BadTileSetFile, BadBot) as failed:
        raise click.ClickException(str(failed)) from failed


async def serve(settings: Settings) -> None:
    """Wire an instance together and run it until it is told to stop. Raises StartFailed."""
    logging.basicConfig(level=settings.log_level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    tilesets = load_catalogue(settings.tilesets_dir)
    bots = find_bots(plugins=True)
    async with AsyncExitStack() as stack:
        workers = Workers(settings.bot_processes)
        stack.push_async_callback(workers.aclose)
        store = await stack.enter_async_context(_store(settings))
        watch = Watch(store, tilesets, settings.limits.sweep_s)
        stack.push_async_callback(watch.aclose)
        send = await stack.enter_async_context(posting(settings.limits))
        deliverer = Deliverer(store, send, time.time)
        context = Context(
            store=store,
            tilesets=tilesets,
            clock=time.time,
            committed=watch.committed,
            hooked=deliverer.hooked,
            retention=settings.retention,
            bots=Bots(bots, workers),
        )
        watch.start()
        await stack.enter_async_context(running(keep_going(context)))
        await stack.enter_async_context(running(deliverer.keep_delivering()))
        app = make_app(context, watch, settings.limits)
        await run(app, settings.host, settings.port, lambda url: _greet(url, settings))


@asynccontextmanager
async def _store(settings: Settings) -> AsyncIterator[RedisStore]:
    """The store at the Redis that the settings name, or at one of the instance's own."""
    async with AsyncExitStack() as stack:
        url = settings.redis_url
        if url is None:
            try:
                server = await stack.enter_async_context(embedded(settings.data_dir, revive=True))
            except EmbeddedError as error:
                raise StartFailed(str(error)) from error
            url = server.url
        store = await stack.enter_async_context(
            connect(url, connections=settings.redis_connections, patience_s=settings.redis_patience_s)
        )
        try:
            await store.ping()
        except StoreUnavailable as error:
            logger.warning("Redis does not answer yet, /readyz says so until it does: %s", error)
        yield store


def _greet(url: str, settings: Settings) -> None:
    """Where to go next, for whoever started it by hand."""
    where = "the Redis that was named" if settings.redis_url else f"a Redis of its own in {settings.data_dir}"
    click.echo(
        f"South Seas {version('south-seas')} listens on {url}; games are in {where}.\n"
        f"  play:             {url}/ in a browser\n"
        f"  in a terminal:    .venv/bin/python examples/terminal --url {url}\n"
        f"  all that it can:  {url}/docs\n"
        f"Stop it with Ctrl-C."
    )


@cli.command("verify")
@click.argument("file_or_url")
@click.option(
    "--tileset",
    "tileset_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The tile set, where neither the file nor this program has it.",
)
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep what a URL gave in a file that can be verified without the service.",
)
def verify_command(file_or_url: str, tileset_file: Path | None, save: Path | None) -> None:
    """Replay a game's whole log and check commitment, shuffle, digests, rules and result.

    FILE_OR_URL is http://HOST/v1/games/ID (for a private game put one of its tokens in SOUTH_SEAS_TOKEN), or a file
    with the diffs: an array, an object with `diffs`, or one a line. Ends with 0 when all is proven, 1 when something is
    wrong, 3 when the game is not over yet, so that its seed is not known.
    """
    log = _fetch(file_or_url) if "://" in file_or_url else _read(Path(file_or_url))
    if save is not None:
        save.write_bytes(write_log(log))
    checks = verify(log.diffs, _tileset_of(log, tileset_file))
    for check in checks:
        click.echo(_line(check))
    if any(check.passed is False for check in checks):
        sys.exit(1)
    if any(check.passed is None for check in checks):
        sys.exit(3)


@cli.group("tileset")
def tileset_group() -> None:
    """Tile sets: the tiles and ships that games are played with."""


@tileset_group.command("check")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def check_command(file: Path) -> None:
    """Check a tile set's file; says for each fault where and why, and ends with 1 if there is any."""
    try:
        tileset = parse(file.read_bytes())
    except TileSetInvalid as invalid:
        for fault in invalid.faults:
            click.echo(f"{file}: {_where(fault)}", err=True)
        sys.exit(1)
    tiles = sum(tile.count for tile in tileset.tiles)
    click.echo(
        f"{file}: {tileset.id} is a playable tile set: {tiles} tiles of {len(tileset.tiles)} types, "
        f"{len(tileset.ships)} ships"
    )


def _where(fault: Fault) -> str:
    return fault.reason if fault.path == "$" else f"{fault.path}: {fault.reason}"


def _fetch(url: str) -> Log:
    try:
        fetched = asyncio.run(fetch_log(url, os.environ.get(VERIFY_AS)))
    except ClientError as failed:
        raise click.ClickException(str(failed)) from failed
    return Log(fetched.diffs, fetched.tileset)


def _read(path: Path) -> Log:
    try:
        return read_log(path.read_bytes())
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror}") from error
    except BadLog as bad:
        raise click.ClickException(f"{path}: {bad}") from bad


def _tileset_of(log: Log, file: Path | None) -> Any:
    """The tile set that the log was played with: the one named, the one beside the diffs, or a built-in one."""
    data = file.read_bytes() if file is not None else log.tileset
    if data is not None:
        try:
            return parse(data)
        except TileSetInvalid as invalid:
            raise click.ClickException(f"the tile set cannot be played: {_where(invalid.faults[0])}") from invalid
    named = [
        operation.get("value")
        for diff in log.diffs[:1]
        for operation in diff.get("patch", ())
        if operation.get("path") == "/tileset"
    ]
    for loaded in load_catalogue(None):
        if loaded.tileset.id in named:
            return loaded.tileset
    raise click.ClickException("the log names no tile set that this program has: name its file with --tileset")


def _line(check: Check) -> str:
    words = {True: "ok", False: "WRONG", None: "unknown"}
    return f"{words[check.passed]:8} {check.name:11} {check.detail}"


if __name__ == "__main__":
    main()

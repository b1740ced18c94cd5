"""The command `south-seas`, and the only place that wires the parts of an instance together."""

import asyncio
import gc
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import click
import msgspec

from service.archive_storage import open_object_storage
from service.engine import COMPILED
from service.games.archiver import Archiver
from service.games.bots.registry import BotProcessPool, BotRegistry, InvalidBot, LoadedBot, load_bots
from service.games.hub import Hub
from service.games.index_repair import IndexRepairer
from service.games.ports import StoreUnavailable
from service.games.repository import Context, GameCache
from service.games.scheduler import make_scheduler
from service.games.tilesets import InvalidTileSetFile, TileSetCatalogue, load_catalogue
from service.games.webhook_delivery import WebhookDeliverer
from service.observability import configure_logging, observe_instance
from service.release import REVISION, VERSION
from service.settings import Settings, origin_of, with_settings
from service.start_checks import fit_connections, report
from service.store.embedded import EmbeddedServerError, embedded_server
from service.store.game_store import connect
from service.supervision import Supervisor, run
from service.telemetry import clock
from service.telemetry.logs import escape_unprintable
from service.telemetry.tracing import TracingConfigError
from service.web.app import App
from service.web.assembly import make_app
from service.web.images import KEPT_PICTURES
from service.web.outbound import open_webhook_sender
from service.web.server import ShutdownSignal, StartFailed, bind, format_listening_url, run_server, serve_metrics

TERMINAL = Path(__file__).parents[1] / "examples" / "terminal"
"""The terminal client, in a clone of the project; an installed package does not have it."""


def main() -> None:
    """Run the command; each error is one line on the error stream."""
    try:
        sys.exit(cli.main(standalone_mode=False))
    except click.exceptions.NoArgsIsHelpError as usage:
        usage.show()
        sys.exit(usage.exit_code)
    except click.ClickException as error:
        click.echo(f"south-seas: {escape_unprintable(error.format_message())}", err=True)
        sys.exit(error.exit_code)
    except click.exceptions.Abort:
        sys.exit(130)


EXPECTED_ERRORS = (
    *(EmbeddedServerError, InvalidBot, InvalidTileSetFile, StartFailed, StoreUnavailable, TracingConfigError),
)
"""Errors of the settings and of Redis, whose messages say in one line what is wrong."""


class CommandGroup(click.Group):
    """The commands; those that do not serve are imported when they are used."""

    lazy_commands: ClassVar = {
        "config": ("service.cli.config", "config_group"),
        "export": ("service.cli.export", "export_command"),
        "games": ("service.cli.games", "games_group"),
        "import": ("service.cli.export", "import_command"),
        "keys": ("service.cli.keys", "keys_group"),
        "listen": ("service.cli.webhooks", "listen_command"),
        "redis": ("service.cli.store", "redis_group"),
        "reindex": ("service.cli.store", "reindex_command"),
        "tileset": ("service.cli.tileset", "tileset_group"),
        "trigger": ("service.cli.webhooks", "trigger_command"),
        "verify": ("service.cli.verify", "verify_command"),
    }

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a file that cannot be read or written is an error of its caller, as what was expected."""
        try:
            return super().invoke(ctx)
        except EXPECTED_ERRORS as error:
            raise click.ClickException(str(error)) from error
        except OSError as error:
            if error.filename is None:
                raise
            raise click.ClickException(f"{error.filename}: {error.strerror}") from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names."""
        return sorted([*super().list_commands(ctx), *self.lazy_commands])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a name."""
        if cmd_name in self.lazy_commands:
            module, name = self.lazy_commands[cmd_name]
            command: click.Command = getattr(import_module(module), name)
            return command
        return super().get_command(ctx, cmd_name)


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(
    VERSION, message=f"south-seas %(version)s (revision {REVISION}{', compiled' if COMPILED else ''})"
)
def cli() -> None:
    """Carcassonne: South Seas over HTTP, WebSocket and server-sent events."""


@cli.command("serve")
@with_settings()
def serve_command(settings: Settings) -> None:
    """Run the service until SIGTERM or SIGINT.

    All state is in Redis, so any number of instances may share one. Without --redis-url this instance starts an
    embedded Redis server, whose games survive restarts.
    """
    configure_logging(settings)
    tilesets, bots = load_catalogue(settings.tilesets_dir), load_bots(plugins=True)
    limits, finding = fit_connections(settings.limits, is_default=origin_of("max_connections") == "default")
    report([finding])
    settings = msgspec.structs.replace(settings, limits=limits)
    gc.collect()  # before anybody waits
    gc.freeze()
    run(serve(settings, tilesets, bots))


async def serve(settings: Settings, tilesets: TileSetCatalogue, bots: Sequence[LoadedBot]) -> None:
    """Run one instance until it is asked to stop. Raises StartFailed, TracingConfigError, EmbeddedServerError."""
    stop, supervisor = ShutdownSignal(), Supervisor()
    async with AsyncExitStack() as stack:
        directory = None
        if (redis_url := settings.redis_url) is None:
            server = await stack.enter_async_context(
                embedded_server(settings.data_dir, on_stopped=stop.requested.set, supervisor=supervisor)
            )
            redis_url, directory = server.url, server.directory
        app = await stack.enter_async_context(assemble_app(settings, tilesets, bots, redis_url, supervisor, directory))
        # In a thread, since resolving the host may take seconds.
        sockets = await asyncio.to_thread(bind, settings.host, settings.port)
        url = format_listening_url(sockets, settings.host)
        metrics_url = await stack.enter_async_context(serve_metrics(settings.metrics_host, settings.metrics_port))
        await run_server(app, sockets, stop, lambda: _print_greeting(url, settings, metrics_url))


@asynccontextmanager
async def assemble_app(
    settings: Settings,
    tilesets: TileSetCatalogue,
    loaded_bots: Sequence[LoadedBot],
    redis_url: str,
    supervisor: Supervisor,
    directory: Path | None = None,
) -> AsyncIterator[App]:
    """Assemble the application of one instance and run its background tasks; `directory` is the embedded server's."""
    async with AsyncExitStack() as stack:
        process_pool = BotProcessPool(settings.bot_processes)
        stack.push_async_callback(process_pool.aclose)
        connection = connect(
            redis_url,
            connections=settings.redis_connections,
            timeout_s=settings.redis_timeout_s,
            wait=settings.redis_wait,
            supervisor=supervisor,
            limits=settings.redis_in_flight,
        )
        store = await stack.enter_async_context(connection)
        store.health.directory = directory
        archive = None if settings.archive_url is None else open_object_storage(settings.archive_url)
        store.compacted_logs.archive = archive
        cache = GameCache()
        hub = Hub(store, tilesets, settings.limits.sweep_interval_s, cache.evict_older, supervisor)
        stack.push_async_callback(hub.aclose)
        send = await stack.enter_async_context(open_webhook_sender(settings.limits))
        context = Context(
            store=store,
            tilesets=tilesets,
            clock=clock.now,
            on_committed=hub.publish_commit,
            retention=settings.retention,
            bots=BotRegistry(loaded_bots, process_pool),
            cache=cache,
        )
        app = make_app(context, hub, settings.limits, supervisor)
        if directory is not None:
            app[KEPT_PICTURES] = settings.data_dir / "pictures"
        scheduler = make_scheduler(context)
        webhooks = WebhookDeliverer(store, send, clock.now).worker(context.woken_webhooks)
        await stack.enter_async_context(observe_instance(settings, app, store, scheduler, webhooks))
        # Last, since the time that the above takes would count as a timeout of Redis.
        findings = await (store.check_data() if settings.redis_url is None else store.check_server())
        if errors := [finding for finding in findings if finding.level == "error"]:
            report(errors)
        await store.health.probe()  # the store logs an outage, and requests get 503
        report(findings)
        hub.start()
        await stack.enter_async_context(supervisor.running("scheduler", scheduler.run))
        await stack.enter_async_context(supervisor.running("webhooks", webhooks.run))
        log_ttl_s = round(3600 * settings.archived_log_hours)
        ended_ttl_s = settings.retention.finished
        archiver = Archiver(store, store.compacted_logs, archive, tilesets, clock.now, log_ttl_s, ended_ttl_s)
        await stack.enter_async_context(supervisor.running("archive", archiver.worker().run, required=False))
        repairer = IndexRepairer(store, store.index_repair, settings.retention, clock.now, archiver.is_pending)
        await stack.enter_async_context(supervisor.running("index-repair", repairer.run, required=False))
        yield app


def _print_greeting(url: str, settings: Settings, metrics: str | None) -> None:
    """Print the addresses of the service."""
    location = "the Redis of --redis-url" if settings.redis_url else f"an embedded server, in {settings.data_dir}"
    lines = [f"South Seas {VERSION} listens on {url}; the games are in {location}.", f"  play in a browser:  {url}/"]
    if TERMINAL.exists():
        lines.append(f"  or in a terminal:   .venv/bin/python -m examples.terminal --url {url}")
    lines.append(f"  documentation:      {url}/docs")
    if metrics is not None:
        lines.append(f"  metrics:            {metrics}")
    lines.append("Stop it with Ctrl-C.")
    click.echo("\n".join(lines))


if __name__ == "__main__":
    main()

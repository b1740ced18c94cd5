"""`south-seas games`: show, list, abort and delete games of the Redis that the instances use."""

import sys
import time

import click
import msgspec

from schemas.game import GameView
from schemas.vocabulary import ENDED_STATUSES, STATUSES
from service.cli.store import REDIS_SETTINGS, RETENTION_SETTINGS, log_change, report_failure, with_store
from service.engine import build_view
from service.games.access import AccessRecord, authorize_operator, index_keys
from service.games.archive import object_name
from service.games.commands.execute import GameRequest
from service.games.commands.play import abort_game
from service.games.errors import GameNotActive, NoSuchGame
from service.games.ports import UnreadableGame
from service.games.queries import summarize
from service.games.repository import Context, open_game
from service.games.tilesets import TileSetCatalogue, load_catalogue
from service.settings import Settings
from service.store.game_store import RedisStore
from service.telemetry.logs import escape_unprintable

STORE_SETTINGS = (*REDIS_SETTINGS, "tilesets_dir")

game_argument = click.argument("game")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
yes_option = click.option("--yes", is_flag=True, help="Do not ask.")


@click.group("games")
def games_group() -> None:
    """Show, list, abort and delete games, private ones too, without their tokens.

    Give the instances' settings of Redis; an instance without --redis-url has the games to itself: stop it first. Each
    change is logged on the error stream.
    """


@games_group.command("show")
@game_argument
@json_option
@with_store(*STORE_SETTINGS)
async def show_command(store: RedisStore, settings: Settings, game: str, *, as_json: bool) -> None:
    """Show a game: its state, and where its log is."""
    view, access = await _load(store, load_catalogue(settings.tilesets_dir), game)
    state = await store.compacted_logs.load_state(game)
    if as_json:
        click.echo(msgspec.json.encode(view))
        return
    click.echo(_describe(view, access))
    click.echo(f"created {view.created_at}, changed {view.updated_at}, tile set {view.tileset}")
    for seat, player in enumerate(view.players):
        resigned = ", resigned" if player.resigned else ""
        click.echo(escape_unprintable(f"  seat {seat}: {player.name} ({player.kind}{resigned})"))
    if state.archived:
        click.echo(f"archived up to version {state.archived}: {object_name(game, view.created_at)}")


@games_group.command("list")
@click.option("--status", type=click.Choice(STATUSES), help="Only games of this status.")
@click.option("--limit", type=click.IntRange(1), default=100, show_default=True, help="Games to list.")
@json_option
@with_store(*STORE_SETTINGS)
async def list_command(store: RedisStore, settings: Settings, status: str | None, limit: int, *, as_json: bool) -> None:
    """List games in any order, one a line; a game that cannot be read is named on the error stream."""
    catalogue = load_catalogue(settings.tilesets_dir)
    shown: set[str] = set()
    async for game in store.transfer.iter_games():
        if game in shown:
            continue
        line: str | bytes = ""
        with report_failure(f"game {game}"):
            record = await store.load(game)
            if record is None:
                continue
            view, access = build_view(*open_game(catalogue, record)), record.access
            if status not in {None, view.status}:
                continue
            line = msgspec.json.encode(summarize(view)) if as_json else _describe(view, access)
        if not line:
            continue
        if len(shown) == limit:
            click.echo(f"only the first {limit} games: see --limit", err=True)
            break
        shown.add(game)
        click.echo(line)


@games_group.command("abort")
@game_argument
@yes_option
@json_option
@with_store(*STORE_SETTINGS, *RETENTION_SETTINGS)
async def abort_command(store: RedisStore, settings: Settings, game: str, *, yes: bool, as_json: bool) -> None:
    """Abort a game that has not ended, as its owner can: watchers, webhooks and the archive get its end.

    One that cannot be read cannot be aborted: import it from a backup, or delete it.
    """
    catalogue = load_catalogue(settings.tilesets_dir)
    view, access = await _load(store, catalogue, game)
    if view.status in ENDED_STATUSES:
        raise GameNotActive(view.status)
    _confirm(f"abort {_describe(view, access)}", yes=yes)
    context = Context(
        store=store,
        tilesets=catalogue,
        clock=time.time,
        on_committed=lambda _change: None,
        retention=settings.retention,
    )
    aborted, digest = await abort_game(context, GameRequest(id=game), authorize_operator)
    log_change(f"aborted game {game}", f"version {aborted.version}, digest {digest}")
    if as_json:
        click.echo(msgspec.json.encode(aborted))


@games_group.command("delete")
@game_argument
@yes_option
@click.option("--force", is_flag=True, help="Delete it before webhooks and archive have its end, or unread.")
@json_option
@with_store(*STORE_SETTINGS, "archive_url")
async def delete_command(
    store: RedisStore, settings: Settings, game: str, *, yes: bool, force: bool, as_json: bool
) -> None:
    """Delete a game that has ended, with its log and its webhooks.

    With --archive-url it must be archived, and its document stays there.
    """
    keys, webhooks = [], []
    try:
        view, access = await _load(store, load_catalogue(settings.tilesets_dir), game)
    except UnreadableGame as error:
        if not force:
            raise click.ClickException(f"game {game} cannot be read ({error}): --force deletes it") from error
        detail = "it could not be read"
        description = f"{game}, which cannot be read"
    else:
        if view.status not in ENDED_STATUSES:
            raise click.ClickException(f"game {game} is {view.status}: abort it first")
        stored = await store.webhooks.list_by_subject(game)
        if not force and any(one.state.is_active and one.state.is_behind(view.version) for one in stored):
            raise click.ClickException(f"a webhook of game {game} does not have its end yet: wait, or use --force")
        archived = (await store.compacted_logs.load_state(game)).archived
        if not force and settings.archive_url is not None and archived < view.version:
            raise click.ClickException(f"game {game} is not archived yet: wait, or use --force")
        keys, webhooks = index_keys(access), [one.registration.id for one in stored]
        detail = f"{view.status}, version {view.version}"
        description = _describe(view, access)
    _confirm(f"delete {description}", yes=yes)
    if not await store.transfer.delete(game, keys, webhooks):
        raise NoSuchGame(game)
    log_change(f"deleted game {game}", detail)  # names are gone with the game
    if as_json:
        click.echo(msgspec.json.encode({"id": game, "deleted": True}))


async def _load(store: RedisStore, catalogue: TileSetCatalogue, game: str) -> tuple[GameView, AccessRecord]:
    """Load a game. Raises NoSuchGame, TileSetMissing, UnreadableGame, StoreUnavailable."""
    record = await store.load(game)
    if record is None:
        raise click.ClickException(f"there is no game {game} in Redis; if it has ended, it may be in the archive")
    return build_view(*open_game(catalogue, record)), record.access


def _describe(view: GameView, access: AccessRecord) -> str:
    players = ", ".join(str(player.name) for player in view.players)
    return escape_unprintable(
        f"{view.id}  {view.status:8}  {access.visibility:7}  version {view.version:<4} {view.updated_at}  {players}"
    )


def _confirm(question: str, *, yes: bool) -> None:
    """Ask before a change. Raises ClickException where nobody can answer."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.ClickException("nobody can be asked here: confirm with --yes")
    click.confirm(question, abort=True, err=True)

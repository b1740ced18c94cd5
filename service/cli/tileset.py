"""`south-seas tileset`: check a tile set's file, and draw it while it is written."""

import sys
from contextlib import suppress
from pathlib import Path
from time import sleep

import click

from service.cli.printed_game import list_gaps
from service.cli.tileset_preview import preview_page
from service.engine.tileset_validation import MAX_FILE_BYTES, TileSetInvalid
from service.files import read_file, write_atomically
from service.games.tilesets import read_tileset
from service.telemetry.logs import escape_unprintable

__all__ = ["check_tileset_command", "preview_tileset_command", "tileset_group"]

WATCH_INTERVAL_S = 0.5


@click.group("tileset")
def tileset_group() -> None:
    """Tile sets: the tiles and ships that games are played with."""


@tileset_group.command("check")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def check_tileset_command(file: Path) -> None:
    """Check a tile set's file.

    Prints where and why for each fault, and exits with 1 if there is any. What the set lacks of the printed game, as
    far as the rulebooks describe it, is no fault and is printed too.
    """
    try:
        tileset = read_tileset(file)
    except TileSetInvalid as error:
        for fault in error.faults:
            click.echo(escape_unprintable(f"{file}: {fault}"), err=True)
        sys.exit(1)
    tiles = sum(tile.count for tile in tileset.tiles)
    click.echo(
        f"{file}: {tileset.id} is a playable tile set: {tiles} tiles of {len(tileset.tiles)} types, "
        f"{len(tileset.ships)} ships"
    )
    for gap in list_gaps(tileset):
        click.echo(f"note: {gap}")


@tileset_group.command("preview")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="The page to write; default: beside FILE, .html."
)
@click.option("--watch", is_flag=True, help="Write the page again whenever FILE is saved, until Ctrl-C.")
def preview_tileset_command(file: Path, output: Path | None, *, watch: bool) -> None:
    """Draw a tile set's file as a page for a browser.

    It shows each tile and ship with its position in the file, and the faults instead of the picture. With --watch the
    page reloads by itself.
    """
    page = output or file.with_suffix(".html")
    if page.resolve() == file.resolve():
        raise click.BadParameter("is the tile set's file", param_hint="--output")
    data = read_file(file, MAX_FILE_BYTES + 1)
    write_atomically(page, preview_page(data, file.name, reloads=watch).encode())
    click.echo(page)
    while watch:
        sleep(WATCH_INTERVAL_S)
        with suppress(FileNotFoundError):  # some editors replace a file in two steps
            before, data = data, read_file(file, MAX_FILE_BYTES + 1)
            if data != before:
                write_atomically(page, preview_page(data, file.name, reloads=True).encode())

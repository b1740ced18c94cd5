"""`south-seas tileset check`: check a tile set's file."""

import sys
from pathlib import Path

import click

from service.engine.tileset_validation import Fault, TileSetInvalid
from service.games.tilesets import read_tileset
from service.telemetry.logs import escape_unprintable

__all__ = ["check_tileset_command", "describe_fault", "tileset_group"]


@click.group("tileset")
def tileset_group() -> None:
    """Tile sets: the tiles and ships that games are played with."""


@tileset_group.command("check")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def check_tileset_command(file: Path) -> None:
    """Check a tile set's file.

    Prints where and why for each fault, and exits with 1 if there is any.
    """
    try:
        tileset = read_tileset(file)
    except TileSetInvalid as error:
        for fault in error.faults:
            click.echo(escape_unprintable(f"{file}: {describe_fault(fault)}"), err=True)
        sys.exit(1)
    tiles = sum(tile.count for tile in tileset.tiles)
    click.echo(
        f"{file}: {tileset.id} is a playable tile set: {tiles} tiles of {len(tileset.tiles)} types, "
        f"{len(tileset.ships)} ships"
    )


def describe_fault(fault: Fault) -> str:
    """Return a fault as `PATH: REASON`."""
    return fault.reason if fault.path == "$" else f"{fault.path}: {fault.reason}"

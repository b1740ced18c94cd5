"""The words beside the board as text: its legend, and the supplies, ships and players."""

from schemas.game import Player, Turn
from schemas.tileset import Ship, TileSet
from service.games.i18n.catalogue import Translator
from service.games.i18n.phrases import all_ware_counts, point_count, ship_cost
from service.games.i18n.tile_names import name_tiles


def board_legend(translator: Translator) -> tuple[str, str]:
    """Return the legend of the characters."""
    return (
        translator.gettext(
            ". sea  ^ island  = bridge  # M market  b banana  s shell  f fish  F two fish  x covered fish  v boat"
        ),
        translator.gettext("R red  B blue  G green  Y yellow  K black: islanders"),
    )


def describe_drawn_tile(translator: Translator, tileset: TileSet, turn: Turn) -> str:
    """Return the number of a turn and the name of its tile."""
    names = {tile.id: name for tile, name in zip(tileset.tiles, name_tiles(translator, tileset), strict=True)}
    return translator.gettext("Turn {number}: {tile}", number=turn.number, tile=names[turn.tile].full)


def describe_supplies(translator: Translator, bag: int, ship_pile: int) -> str:
    """Return what is left in the bag and in the pile."""
    tiles = translator.ngettext("{number} tile in the bag", "{number} tiles in the bag", bag)
    ships = translator.ngettext("{number} ship in the pile", "{number} ships in the pile", ship_pile)
    return f"{tiles}, {ships}"


def describe_ship(translator: Translator, ship: Ship) -> str:
    """Return a ship's id, points and cost."""
    return translator.gettext(
        "Ship {ship}: {points} for {cost}",
        ship=ship.id,
        points=point_count(translator, ship.points),
        cost=ship_cost(translator, ship.cost),
    )


def describe_player(translator: Translator, player: Player) -> str:
    """Return a player's name, points, supply, wares and number of ships."""
    counts = (
        point_count(translator, player.points),
        translator.ngettext("{number} islander", "{number} islanders", player.supply),
        *all_ware_counts(translator, player.wares),
        translator.ngettext("{number} ship", "{number} ships", len(player.ships)),
    )
    return translator.gettext("{player}: {holdings}", player=player.name or "…", holdings=", ".join(counts))


def pass_label(translator: Translator) -> str:
    """Return the word for a pass."""
    return translator.gettext("pass")

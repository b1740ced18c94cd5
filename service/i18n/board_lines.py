"""The words beside the board as text: its legend, and the supplies, ships and players."""

from collections.abc import Sequence

from schemas.game import GameView, Player, Score, Turn
from schemas.tileset import Ship, TileSet
from service.i18n.catalogue import Translator, gettext_noop
from service.i18n.events import winner_sentence
from service.i18n.phrases import all_ware_counts, point_count, score_parts, ship_cost
from service.i18n.tile_names import name_tiles


def board_legend(translator: Translator, *, outline_last: bool, sidebar: bool, number_moves: bool) -> tuple[str, ...]:
    """Return the legend of the characters, with the signs that these options add."""
    signs = (
        (outline_last, gettext_noop("+ last tile")),
        (sidebar, gettext_noop("> on turn")),
        (number_moves, gettext_noop("[7] or 7: reply")),
    )
    shown = [translator.gettext(sign) for is_shown, sign in signs if is_shown]
    return (
        translator.gettext(
            ". sea  ^ island  = bridge  # M market  b banana  s shell  f fish  F two fish  x covered fish  v boat"
        ),
        translator.gettext("R red  B blue  G green  Y yellow  K black: islanders"),
        *(("  ".join(shown),) if shown else ()),
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
    """Return a ship's points and cost."""
    return translator.gettext(
        "Ship: {points} for {cost}",
        points=point_count(translator, ship.points),
        cost=ship_cost(translator, ship.cost),
    )


def describe_player(translator: Translator, player: Player, score: Score | None) -> str:
    """Return a player's name, points, supply, wares and number of ships; `score` is that of a finished game."""
    if player.name is None:
        return translator.gettext("free seat")
    points = point_count(translator, player.points if score is None else score.total)
    counts = (
        points if score is None else f"{points} ({score_parts(translator, score, resigned=player.resigned)})",
        translator.ngettext("{number} islander", "{number} islanders", player.supply),
        *all_ware_counts(translator, player.wares),
        translator.ngettext("{number} ship", "{number} ships", len(player.ships)),
    )
    return translator.gettext("{player}: {holdings}", player=player.name, holdings=", ".join(counts))


def describe_winners(translator: Translator, game: GameView, winners: Sequence[int]) -> str:
    """Return who won."""
    return winner_sentence(translator, [game.players[seat].name or "" for seat in winners])


def board_label(translator: Translator, turn: Turn | None) -> str:
    """Return the label of a picture of a board, for screen readers."""
    if turn is None:
        return translator.gettext("Carcassonne board")
    return translator.gettext("Carcassonne board, turn {number}", number=turn.number)


def ship_label(translator: Translator, ship: Ship) -> str:
    """Return the label of a picture of a ship, for screen readers."""
    points, cost = point_count(translator, ship.points), ship_cost(translator, ship.cost)
    return translator.gettext("ship of {points} for {cost}", points=points, cost=cost)


def pass_label(translator: Translator) -> str:
    """Return the word for a pass."""
    return translator.gettext("pass")

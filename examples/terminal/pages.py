"""Pages in place of the board: help, scores, tiles left, islanders and the result."""

from rich.columns import Columns
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table as Grid
from rich.text import Text

from examples.terminal.board import TileView, draw_single_tile
from examples.terminal.game_state import GameState, Page
from examples.terminal.phrases import WARE_NAMES, cell_text, count_of, join_list, wares_text
from examples.terminal.tile_picture import SMALL

HELP = """\
On your turn, type the key of a legal move and press Enter.
  3b    place the tile on cell 3 as picture b; 3 if only one picture fits
  2     move 2 of the list                         0    pass
  text  list only moves that contain the text; Enter plays the only one left
  Esc   clear the line, close a page               Backspace, Ctrl-U  delete

?  this page              s  scores                      t  tiles in the bag
i  islanders' values      z  size of the tiles           q  leave the game
arrows  move the board    Home  go to the last tile      Page Up, Down  scroll

~ sea   : island   = bridge   [M] market   . two islands whose tips touch
><> one fish   ><><> two fish   (x) fish under a boat
) banana   @ shell   2 two of them, in little room   \\_/ boat printed
A an islander of Ana's   A-< her fisherman, lying
┌ ┐ the last tile; brighter tiles came since your last move
In a ship's cost:  ? any ware   AAA B  three alike and one of another kind
"""


UNITS = {name: (one, many) for name, one, many in WARE_NAMES} | {"points": ("point", "points")}


class ScrolledPage:
    """A scrolled page."""

    def __init__(self, state: GameState, page: Page) -> None:
        self.state = state
        self.page = page

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = options.height or console.height
        lines = console.render_lines(page_content(self.state, self.page), options.update(height=None), pad=False)
        self.state.scroll = max(0, min(self.state.scroll, len(lines) - height))
        for line in lines[self.state.scroll :][:height]:
            yield from line
            yield Segment.line()


def page_content(state: GameState, page: Page) -> RenderableType:
    """Return the whole content of a page."""
    match page:
        case Page.HELP:
            return Text(HELP, no_wrap=True)
        case Page.SCORES:
            return _scores(state)
        case Page.TILES:
            return _tiles(state)
        case Page.ISLANDERS:
            return _islanders(state)
        case Page.RESULT:
            return _result(state)


def _scores(state: GameState) -> RenderableType:
    """Return the scores (R8.3)."""
    grid = _grid("", "points now", "if it ended now", "from ships", "from wares", "still on the board")
    for score in state.scores.players if state.scores else ():
        end = score.if_ended_now
        grid.add_row(
            Text(state.name(score.seat), state.style(score.seat)),
            str(score.points_now),
            str(end.total),
            str(end.ships),
            str(end.wares),
            wares_text(end.pending),
        )
    return Group(Text("Scores", style="bold"), grid)


def _tiles(state: GameState) -> RenderableType:
    """Return the tiles left in the bag (R8.1)."""
    if state.tiles_left is None:
        return Text("")
    entries = []
    for tile in state.tiles_left.tiles:
        if tile.left:
            lines = draw_single_tile(TileView(state.tiles[tile.tile], 0), SMALL)
            lines[0].append(f" {tile.left} x")
            lines[1].append(f" {tile.text}")
            entries.append(Group(*lines, Text("")))
    title = Text(f"{count_of(state.tiles_left.bag, 'tile', 'tiles')} left in the bag", style="bold")
    return Group(title, Text(""), Columns(entries, equal=True))


def _islanders(state: GameState) -> RenderableType:
    """Return the values of islanders (R8.2, R8.4)."""
    grid = _grid("", "role", "at", "value now", "")
    for one in state.scores.islanders if state.scores else ():
        grid.add_row(
            Text(state.name(one.seat), state.style(one.seat)),
            one.role.replace("_", " "),
            cell_text(one.x, one.y),
            count_of(one.value, *UNITS.get(one.unit, (one.unit, one.unit))),
            "" if one.majority else "outnumbered",
        )
    return Group(Text("Islanders on the board", style="bold"), grid)


def _result(state: GameState) -> RenderableType:
    result = state.game.result
    if result is None:
        return Text(f"The game is {state.game.status}.")
    grid = _grid("", "from ships", "from wares", "total")
    for score in sorted(result.scores, key=lambda score: -score.total):
        name = Text(state.name(score.seat), state.style(score.seat))
        grid.add_row(name, str(score.ships), str(score.wares), str(score.total))
    winners = join_list([state.name(seat) for seat in result.winners])
    wins = "wins!" if len(result.winners) == 1 else "share the win!"
    return Group(
        Text(f"{winners} {wins}", style="bold"),
        grid,
        Text(f"\nThe seed of the shuffle was {state.game.deck.seed}."),
        Text(f"south-seas verify {state.seats.url}/v1/games/{state.game.id} checks the whole game."),
    )


def _grid(*titles: str) -> Grid:
    grid = Grid(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for title in titles:
        grid.add_column(title, justify="right" if title and title[0] in "pift" and title != "role" else "left")
    return grid

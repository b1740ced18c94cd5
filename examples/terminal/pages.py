"""What is shown in place of the board when it is asked for: help, scores, tiles left, islanders, the result."""

from rich.columns import Columns
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table as Grid
from rich.text import Text

from examples.terminal.board import Laid, alone
from examples.terminal.game_state import Page, Table
from examples.terminal.phrases import WARE_NAMES, at, counted, listed, wares_in_words
from examples.terminal.tile_picture import SMALL

HELP = """\
On your turn every legal move has a key; type it and press Enter.
  3b    place the tile on cell 3 as picture b; 3 where only one picture fits
  2     move 2 of the list                         0    do nothing
  text  only the moves whose text contains it; Enter does the last one left
  Esc   empty the line, close a page               Backspace, Ctrl-U  correct

?  this page              s  scores now and at an end    t  tiles in the bag
i  islanders' worth       z  size of the tiles           q  leave, to come back
arrows  look around       Home  back to the last tile    Page Up, Down  scroll

~ sea   : island   = bridge   [M] market   . two islands whose tips touch
><> one fish   ><><> two fish   (x) fish under a boat
) banana   @ shell   2 two of them, in little room   \\_/ boat printed
A an islander of Ana's   A-< her fisherman, lying
┌ ┐ the last tile; brighter tiles came since your last move
In a ship's cost:  ? any ware   AAA B  three alike and one of another kind
"""


UNITS = {name: (one, many) for name, one, many in WARE_NAMES} | {"points": ("point", "points")}


class Scrolled:
    """A page from the line on that it is scrolled to."""

    def __init__(self, table: Table, page: Page) -> None:
        self.table = table
        self.page = page

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = options.height or console.height
        lines = console.render_lines(page_content(self.table, self.page), options.update(height=None), pad=False)
        self.table.scroll = max(0, min(self.table.scroll, len(lines) - height))
        for line in lines[self.table.scroll :][:height]:
            yield from line
            yield Segment.line()


def page_content(table: Table, page: Page) -> RenderableType:
    """A page, as long as it is."""
    match page:
        case Page.HELP:
            return Text(HELP, no_wrap=True)
        case Page.SCORES:
            return _scores(table)
        case Page.TILES:
            return _tiles(table)
        case Page.ISLANDERS:
            return _islanders(table)
        case Page.RESULT:
            return _result(table)


def _scores(table: Table) -> RenderableType:
    """R8.3."""
    grid = _grid("", "points now", "if it ended now", "from ships", "from wares", "still on the board")
    for score in table.scores.players if table.scores else ():
        end = score.if_ended_now
        grid.add_row(
            Text(table.name(score.seat), table.style(score.seat)),
            str(score.points_now),
            str(end.total),
            str(end.ships),
            str(end.wares),
            wares_in_words(end.pending),
        )
    return Group(Text("Scores", style="bold"), grid)


def _tiles(table: Table) -> RenderableType:
    """R8.1."""
    if table.left is None:
        return Text("")
    entries = []
    for tile in table.left.tiles:
        if tile.left:
            lines = alone(Laid(table.tiles[tile.tile], 0), SMALL)
            lines[0].append(f" {tile.left} x")
            lines[1].append(f" {tile.tile}")
            entries.append(Group(*lines, Text("")))
    title = Text(f"{counted(table.left.bag, 'tile', 'tiles')} left in the bag", style="bold")
    return Group(title, Text(""), Columns(entries, equal=True))


def _islanders(table: Table) -> RenderableType:
    """R8.2 and R8.4."""
    grid = _grid("", "role", "at", "would bring now", "")
    for one in table.scores.islanders if table.scores else ():
        grid.add_row(
            Text(table.name(one.seat), table.style(one.seat)),
            one.role.replace("_", " "),
            at(one.x, one.y),
            counted(one.value, *UNITS.get(one.unit, (one.unit, one.unit))),
            "" if one.majority else "outnumbered",
        )
    return Group(Text("Islanders on the board", style="bold"), grid)


def _result(table: Table) -> RenderableType:
    result = table.game.result
    if result is None:
        return Text(f"The game is {table.game.status}.")
    grid = _grid("", "from ships", "from wares", "total")
    for score in sorted(result.scores, key=lambda score: -score.total):
        name = Text(table.name(score.seat), table.style(score.seat))
        grid.add_row(name, str(score.ships), str(score.wares), str(score.total))
    winners = listed([table.name(seat) for seat in result.winners])
    wins = "wins!" if len(result.winners) == 1 else "share the win!"
    return Group(
        Text(f"{winners} {wins}", style="bold"),
        grid,
        Text(f"\nThe shuffle's seed was {table.game.deck.seed}."),
        Text(f"south-seas verify {table.seats.url}/v1/games/{table.game.id} checks the whole game."),
    )


def _grid(*titles: str) -> Grid:
    grid = Grid(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for title in titles:
        grid.add_column(title, justify="right" if title and title[0] in "pift" and title != "role" else "left")
    return grid

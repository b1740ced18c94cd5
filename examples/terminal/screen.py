"""The whole screen: narrow ones have the ships beside the board, wide ones the story too."""

from rich.console import Group, RenderableType
from rich.layout import Layout
from rich.text import Text

from examples.terminal.options import URL, command
from examples.terminal.pages import Scrolled
from examples.terminal.panels import (
    BoardPanel,
    MenuPanel,
    Story,
    drawn_tile,
    menu_entries,
    menu_rows,
    players,
    ships,
)
from examples.terminal.table import Table
from examples.terminal.words import counted, owned
from schemas.actions import PlaceTile

WIDE = 120
SIDE = {False: 34, True: 50}
"""Columns beside the board, on a narrow and on a wide screen."""

LOWER_ROWS = 6
"""Rows below the board of a narrow screen: for the menu what it needs, for the story the rest."""

COMMANDS = {
    "?": "show the help",
    "s": "show the scores",
    "t": "show the tiles left",
    "i": "show what the islanders would bring",
    "z": "change the size of the tiles",
    "q": "leave; the game waits",
}

DECISIONS = {
    "place_tile": "place the tile",
    "islander": "place or take back an islander?",
    "take_ship": "choose a ship",
    "deliver": "deliver to a ship?",
}


def screen(table: Table, width: int, height: int) -> RenderableType:
    """What the terminal shows, `width` columns by `height` rows."""
    wide = width >= WIDE
    left = width - SIDE[wide] - 1 if wide else width
    entries = [*menu_entries(table.meaning.matching)] or _invitation(table)
    rows = min(max(1, menu_rows(entries, left)), height // 3)
    middle = Layout(Scrolled(table, table.page)) if table.page is not None else Layout(BoardPanel(table))
    bottom = [Layout(MenuPanel(entries), size=rows), Layout(prompt(table), size=2)]
    whole = Layout()
    if wide:
        table_side = Layout()
        table_side.split_column(middle, *bottom)
        whole.split_column(Layout(title(table, width), size=1), rest := Layout())
        rest.split_row(table_side, Layout(" ", size=1), _side(table, wide=True))
        return whole
    upper = Layout()
    if table.page is not None:
        upper = middle
    else:
        upper.split_row(middle, Layout(" ", size=1), _side(table, wide=False))
    story = Layout(Story(table), size=max(2, LOWER_ROWS - rows))
    whole.split_column(Layout(title(table, width), size=1), upper, story, *bottom)
    return whole


def title(table: Table, width: int) -> Text:
    """The first line."""
    game = table.game
    turn = f"turn {game.turn.number}" if game.turn else game.status
    line = Text(f" South Seas  {game.id}  {turn}  {counted(game.bag, 'tile', 'tiles')} in the bag", no_wrap=True)
    if not table.online:
        line.append("  connection lost, trying again ", "bold")
    line.pad_right(max(0, width - line.cell_len))
    line.stylize("reverse")
    return line


def prompt(table: Table) -> RenderableType:
    """The typed line with what it means, and below it a note or the commands."""
    line = Text(no_wrap=True, overflow="ellipsis")
    turn = table.game.turn
    if turn is not None:
        line.append(f" {table.name(turn.decider)} ", table.style(turn.decider))
    line.append(f" {_question(table)} ")
    line.append(f"{table.typed}", "bold")
    line.append(" ", "reverse")
    line.append(f"  {_echo(table)}")
    note = Text(table.note or _hints(table), style="bold" if table.note else "dim", no_wrap=True, overflow="ellipsis")
    return Group(line, note)


def _invitation(table: Table) -> list[str]:
    """How others take the open seats."""
    if table.game.status != "waiting":
        return []
    url = [] if table.seats.url == URL else ["--url", table.seats.url]
    return ["Others take the open seats with:", command("--join", table.game.id, "--name", "NAME", *url)]


def _question(table: Table) -> str:
    turn = table.game.turn
    if table.game.status == "waiting":
        return "The game begins when every seat is taken."
    if turn is None:
        return f"The game is {table.game.status}."
    if table.token is None:
        return f"It is {owned(table.name(turn.decider))} turn."
    if table.sending or table.menu is None:
        return "..."
    return DECISIONS[turn.phase]


def _echo(table: Table) -> str:
    """What Enter would do."""
    typed = table.typed.strip()
    if not typed:
        return ""
    if typed.casefold() in COMMANDS:
        return f"Enter: {COMMANDS[typed.casefold()]}"
    meaning = table.meaning
    if meaning.chosen is not None:
        move = meaning.chosen.move
        return f"Enter: {move.text if isinstance(move.action, PlaceTile) else meaning.chosen.text}"
    if not meaning.matching:
        return "no such move"
    if typed.isdecimal():
        return f"which picture: {' '.join(choice.key[-1] for choice in meaning.matching)}?"
    return f"{counted(len(meaning.matching), 'move', 'moves')}"


def _hints(table: Table) -> str:
    if table.page is not None:
        return "Esc back to the board  arrows scroll  ? help  q leave"
    return "? help  s scores  t tiles left  i islanders  z size  arrows look  q leave"


def _side(table: Table, *, wide: bool) -> Layout:
    side = Layout(size=SIDE[wide])
    parts = [
        Layout(players(table), size=len(table.game.players) + 1 + wide),
        Layout(ships(table, wide=wide), size=len(table.game.display) + 1 + wide),
        Layout(drawn_tile(table, wide=wide), size=8 if wide else None, ratio=1),
    ]
    if wide:
        parts.append(Layout(Story(table)))
    side.split_column(*parts)
    return side

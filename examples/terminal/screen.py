"""The whole screen: narrow ones have the ships beside the board, wide ones the story too."""

from rich.console import Group, RenderableType
from rich.layout import Layout
from rich.text import Text

from examples.terminal.game_state import Table
from examples.terminal.options import URL, command
from examples.terminal.pages import Scrolled
from examples.terminal.panels import (
    BoardPanel,
    DrawnTile,
    MenuPanel,
    Story,
    menu_entries,
    menu_rows,
    players,
    ships,
)
from examples.terminal.phrases import counted, owned
from schemas.actions import PlaceTile

WIDE = 120
SIDE = {False: 34, True: 50}
"""Columns beside the board, on a narrow and on a wide screen."""

LOWER_ROWS = 6
"""Rows below the board of a narrow screen: for the menu what it needs, for the story the rest."""

INVITATION_ROWS = 3
PROMPT_ROWS = 2

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
    whole = Layout()
    arrange = _wide if width >= WIDE else _narrow
    whole.split_column(Layout(title(table, width), size=1), *arrange(table, width, height))
    return whole


def _wide(table: Table, width: int, height: int) -> list[Layout]:
    """Board, menu and prompt at the left; everything else, and the story, at the right."""
    menu, rows = _menu(table, width - SIDE[True] - 1, height)
    left, both = Layout(), Layout()
    left.split_column(_middle(table), Layout(menu, size=rows), Layout(prompt(table), size=PROMPT_ROWS))
    both.split_row(left, Layout(" ", size=1), _side(table, wide=True))
    return [both]


def _narrow(table: Table, width: int, height: int) -> list[Layout]:
    """Players and ships beside the board, the story below; a page takes the whole width."""
    menu, rows = _menu(table, width, height)
    upper = _middle(table)
    if table.page is None:
        board, upper = upper, Layout()
        upper.split_row(board, Layout(" ", size=1), _side(table, wide=False))
    story = Layout(Story(table), size=max(2, LOWER_ROWS - rows))
    return [upper, story, Layout(menu, size=rows), Layout(prompt(table), size=PROMPT_ROWS)]


def _middle(table: Table) -> Layout:
    return Layout(BoardPanel(table) if table.page is None else Scrolled(table, table.page))


def _menu(table: Table, width: int, height: int) -> tuple[RenderableType, int]:
    """The moves, or how others join, and how many rows that takes."""
    if table.game.status == "waiting":
        return Text(_invitation(table), overflow="fold"), INVITATION_ROWS
    entries = [*menu_entries(table.meaning.matching)]
    return MenuPanel(entries), min(max(1, menu_rows(entries, width)), height // 3)


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


def _invitation(table: Table) -> str:
    """How others take the open seats."""
    url = [] if table.seats.url == URL else ["--url", table.seats.url]
    return "Others take the open seats with\n" + command("--join", table.game.id, "--name", "NAME", *url)


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
        Layout(DrawnTile(table, wide=wide), size=8 if wide else None, ratio=1),
    ]
    if wide:
        parts.append(Layout(Story(table)))
    side.split_column(*parts)
    return side

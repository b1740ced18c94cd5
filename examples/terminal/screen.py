"""The layout of the screen, for narrow and wide terminals."""

from rich.console import Group, RenderableType
from rich.layout import Layout
from rich.text import Text

from examples.terminal.choices import Menu
from examples.terminal.game_state import GameState
from examples.terminal.options import DEFAULT_URL, command_line
from examples.terminal.pages import ScrolledPage
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
from examples.terminal.phrases import count_of, possessive
from south_seas.models import PlaceIslander, PlaceTile, RetrieveIslander

MIN_WIDE_COLUMNS = 120
SIDE_COLUMNS = {False: 34, True: 50}
"""Columns beside the board, on narrow and wide screens."""

LOWER_ROWS = 6
"""Rows of menu and story below the board of a narrow screen."""

INVITATION_ROWS = 3
PROMPT_ROWS = 2

COMMANDS = {
    "?": "show the help",
    "s": "show the scores",
    "t": "show the tiles left",
    "i": "show the values of islanders",
    "z": "change the size of the tiles",
    "q": "leave the game",
}

DECISIONS = {
    "place_tile": "place the tile",
    "take_ship": "choose a ship",
    "deliver": "deliver to a ship?",
}


def build_screen(state: GameState, width: int, height: int) -> RenderableType:
    """Return the screen, `width` columns by `height` rows."""
    whole = Layout()
    arrange = _wide if width >= MIN_WIDE_COLUMNS else _narrow
    whole.split_column(Layout(title(state, width), size=1), *arrange(state, width, height))
    return whole


def _wide(state: GameState, width: int, height: int) -> list[Layout]:
    """Return the wide layout: board, menu and prompt at the left, other panels at the right."""
    menu, rows = _menu(state, width - SIDE_COLUMNS[True] - 1, height)
    left, both = Layout(), Layout()
    left.split_column(_middle(state), Layout(menu, size=rows), Layout(prompt(state), size=PROMPT_ROWS))
    both.split_row(left, Layout(" ", size=1), _side(state, wide=True))
    return [both]


def _narrow(state: GameState, width: int, height: int) -> list[Layout]:
    """Return the narrow layout: players and ships beside the board, the story below."""
    menu, rows = _menu(state, width, height)
    upper = _middle(state)
    if state.page is None:
        board, upper = upper, Layout()
        upper.split_row(board, Layout(" ", size=1), _side(state, wide=False))
    story = Layout(Story(state), size=max(2, LOWER_ROWS - rows))
    return [upper, story, Layout(menu, size=rows), Layout(prompt(state), size=PROMPT_ROWS)]


def _middle(state: GameState) -> Layout:
    return Layout(BoardPanel(state) if state.page is None else ScrolledPage(state, state.page))


def _menu(state: GameState, width: int, height: int) -> tuple[RenderableType, int]:
    """Return the menu, or how to join, and its number of rows."""
    if state.game.status == "waiting":
        return Text(_invitation(state), overflow="fold"), INVITATION_ROWS
    entries = [*menu_entries(state.menu_match.matching)]
    return MenuPanel(entries), min(max(1, menu_rows(entries, width)), height // 3)


def title(state: GameState, width: int) -> Text:
    """Return the title line."""
    game = state.game
    turn = f"turn {game.turn.number}" if game.turn else game.status
    line = Text(f" South Seas  {game.id}  {turn}  {count_of(game.bag, 'tile', 'tiles')} in the bag", no_wrap=True)
    if not state.is_connected:
        line.append("  connection lost, reconnecting ", "bold")
    line.pad_right(max(0, width - line.cell_len))
    line.stylize("reverse")
    return line


def prompt(state: GameState) -> RenderableType:
    """Return the input line with its match, and a note or the commands below it."""
    line = Text(no_wrap=True, overflow="ellipsis")
    turn = state.game.turn
    if turn is not None:
        line.append(f" {state.name(turn.decider)} ", state.style(turn.decider))
    line.append(f" {_question(state)} ")
    line.append(f"{state.typed}", "bold")
    line.append(" ", "reverse")
    line.append(f"  {_echo(state)}")
    announced = state.note or _worth(state)
    note = Text(announced or _hints(state), style="bold" if announced else "dim", no_wrap=True, overflow="ellipsis")
    return Group(line, note)


def _invitation(state: GameState) -> str:
    """Return how others can join."""
    url = [] if state.seats.url == DEFAULT_URL else ["--url", state.seats.url]
    return "Others join with\n" + command_line("--join", state.game.id, "--name", "NAME", *url)


def _question(state: GameState) -> str:
    turn = state.game.turn
    if state.game.status == "waiting":
        return "The game starts when every seat is taken."
    if turn is None:
        return f"The game is {state.game.status}."
    if (seat := state.absent_seat) is not None:
        absent = "The game is paused" if turn.paused else f"A bot plays for {state.name(seat)}"
        return f"{absent}: press Enter to return."
    if state.token is None:
        return f"It is {possessive(state.name(turn.decider))} turn."
    if state.is_sending or state.menu is None:
        return "..."
    return _islander_question(state.menu) if turn.phase == "islander" else DECISIONS[turn.phase]


def _islander_question(menu: Menu) -> str:
    """Return the question of the islander phase: what the moves of the menu do (R4.4)."""
    types = {type(choice.move.action) for choice in menu.choices}
    verbs = [verb for verb, action in (("place", PlaceIslander), ("retrieve", RetrieveIslander)) if action in types]
    return f"{' or '.join(verbs)} an islander?"


def _echo(state: GameState) -> str:
    """Return what Enter would do."""
    typed = state.typed.strip()
    if not typed:
        return ""
    if typed.casefold() in COMMANDS:
        return f"Enter: {COMMANDS[typed.casefold()]}"
    meaning = state.menu_match
    if meaning.chosen is not None:
        move = meaning.chosen.move
        return f"Enter: {move.text if isinstance(move.action, PlaceTile) else meaning.chosen.text}"
    if not meaning.matching:
        return "no such move"
    if typed.isdecimal():
        return f"which picture: {' '.join(choice.key[-1] for choice in meaning.matching)}?"
    return f"{count_of(len(meaning.matching), 'move', 'moves')}"


def _worth(state: GameState) -> str:
    """Return what the chosen move is worth."""
    chosen = state.menu_match.chosen
    return (chosen.move.worth or "") if chosen is not None and state.typed.strip() else ""


def _hints(state: GameState) -> str:
    if state.page is not None:
        return "Esc back to the board  arrows scroll  ? help  q leave"
    return "? help  s scores  t tiles left  i islanders  z size  arrows move  q leave"


def _side(state: GameState, *, wide: bool) -> Layout:
    side = Layout(size=SIDE_COLUMNS[wide])
    ship_lines = ships(state, SIDE_COLUMNS[wide], wide=wide)
    parts = [
        Layout(players(state), size=len(state.game.players) + 1 + wide),
        Layout(Group(*ship_lines), size=len(ship_lines) + wide),
        Layout(DrawnTile(state, wide=wide), size=8 if wide else None, ratio=1),
    ]
    if wide:
        parts.append(Layout(Story(state)))
    side.split_column(*parts)
    return side

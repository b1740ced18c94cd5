"""Panels beside the board: players, ships, drawn tile, story and menu."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.highlighter import Highlighter
from rich.table import Table as Grid
from rich.text import Text

from examples.terminal.board import TileView, draw_board, draw_single_tile
from examples.terminal.choices import LETTERS, Choice
from examples.terminal.game_state import GameState
from examples.terminal.palette import STYLES
from examples.terminal.phrases import cost_text
from examples.terminal.scene import build_scene, placed_tile_labels, rotations_at, typed_cell
from examples.terminal.tile_picture import LARGE, MEDIUM, SMALL
from south_seas.models import Cell, Cost, PlaceTile

WARE_MARKS = (("bananas", ")", "banana"), ("shells", "@", "shell"), ("fish", ">", "fish"))
"""Each ware with its symbol and style on the board."""

MIN_COST_COLUMNS = 20
"""Columns for a cost in words, beside however many symbols."""


class BoardPanel:
    """The board in the available space."""

    def __init__(self, state: GameState) -> None:
        self.state = state

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = options.height or console.height
        yield from draw_board(build_scene(self.state), self.state.viewport, options.max_width, height)


def players(state: GameState) -> RenderableType:
    """Return the players with their pieces; a mark shows who must decide."""
    grid = Grid.grid(padding=(0, 1, 0, 0), expand=True)
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True, ratio=1, overflow="ellipsis")
    for _ in range(3 + len(WARE_MARKS)):
        grid.add_column(justify="right", no_wrap=True)
    marks = [Text(mark, STYLES[style]) for _, mark, style in WARE_MARKS]
    grid.add_row("", Text("players", style="bold"), "pts", "ships", "home", *marks)
    decider = state.game.turn.decider if state.game.turn else None
    for player in state.game.players:
        letter = Text(f"{'>' if player.seat == decider else ' '}")
        letter.append(state.letters[player.seat] if player.name else "·", state.style(player.seat))
        wares = [str(getattr(player.wares, ware)) for ware, _, _ in WARE_MARKS]
        name = Text(player.name or "(open seat)", style="bold" if player.seat == decider else "")
        grid.add_row(letter, name, str(player.points), str(len(player.ships)), str(player.supply), *wares)
    return grid


def ships(state: GameState, columns: int, *, wide: bool) -> list[Text]:
    """Return the lines of the display: points and cost of each ship, in words too if `wide`."""
    title = Text("ships", style="bold")
    title.append(f"  {state.game.ship_pile} more in the pile", "not bold")
    lines: list[Text] = [title]
    for ship in sorted((state.ships[ship] for ship in state.game.display), key=lambda ship: -ship.points):
        line = Text(f" {ship.points} points  " if wide else f" {ship.points}  ", no_wrap=True)
        line.append_text(cost_in_marks(ship.cost))
        lines.append(line)
        if wide:
            indent = line.cell_len + 3
            first, *others = wrap(cost_text(ship.cost), max(MIN_COST_COLUMNS, columns - indent))
            line.append(f"   {first}")
            lines += [Text(" " * indent + other, no_wrap=True) for other in others]
    return lines


def cost_in_marks(cost: Cost) -> Text:
    """Return a ship's cost as symbols: `?` is any ware, equal letters are equal wares."""
    parts = [Text(mark * getattr(cost, ware), STYLES[style]) for ware, mark, style in WARE_MARKS if getattr(cost, ware)]
    if cost.any:
        parts.append(Text("?" * cost.any))
    if cost.same:
        parts.append(Text(" ".join(letter * number for letter, number in zip("ABC", cost.same, strict=False))))
    return Text(" ").join(parts)


class DrawnTile:
    """The drawn tile in its rotations, or the placed tile with the keys of its segments."""

    def __init__(self, state: GameState, *, wide: bool) -> None:
        self.state = state
        self.wide = wide

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        turn, height = self.state.game.turn, options.height or console.height
        if turn is None:
            return
        pictures = self._rotations(turn.tile) if turn.placed is None else [self._placed(turn.tile, turn.placed, height)]
        if max(map(len, pictures)) < height:
            yield Text("drawn tile" if turn.placed is None else "placed tile", style="bold")
        grid = Grid.grid(padding=(0, 1, 0, 0))
        grid.add_row(*(Group(*lines) for lines in pictures))
        yield grid

    def _rotations(self, tile: str) -> list[list[Text]]:
        size = LARGE if self.wide else SMALL
        allowed = rotations_at(self.state, typed_cell(self.state))
        return [
            [
                *draw_single_tile(TileView(self.state.tiles[tile], rotation), size),
                Text((letter if rotation in allowed else " ").center(size.width), style="bold"),
            ]
            for rotation, letter in enumerate(LETTERS)
        ]

    def _placed(self, tile: str, cell: Cell, height: int) -> list[Text]:
        rotation = self.state.game.board[f"{cell.x},{cell.y}"].rotation
        size = LARGE if height > LARGE.height else MEDIUM
        return draw_single_tile(TileView(self.state.tiles[tile], rotation, labels=placed_tile_labels(self.state)), size)


class _Names(Highlighter):
    """Highlights players' names in their colours."""

    def __init__(self, state: GameState) -> None:
        self.state = state

    def highlight(self, text: Text) -> None:
        for player in self.state.game.players:
            if player.name:
                text.highlight_words([player.name], self.state.name_style(player.seat))


class Story:
    """The latest sentences of the story that fit."""

    def __init__(self, state: GameState) -> None:
        self.state = state

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = options.height or console.height
        highlight = _Names(self.state)
        sentences = [highlight(Text(sentence, overflow="fold")) for sentence in self.state.story_lines[-height:]]
        lines = [line for sentence in sentences for line in sentence.wrap(console, options.max_width)]
        yield from lines[-height:]


def menu_entries(choices: Sequence[Choice]) -> Iterator[str]:
    """Yield a line for each choice; the placements at a cell share one."""
    cells: dict[tuple[int, int], list[str]] = {}
    for choice in choices:
        action = choice.move.action
        if isinstance(action, PlaceTile):
            cells.setdefault((action.x, action.y), []).append(choice.key)
        else:
            yield f"{choice.key:>2} {choice.text}"
    for (x, y), keys in cells.items():
        yield f"{keys[0][:-1]:>2} ({x}, {y}) {''.join(key[-1] for key in keys)}"


def menu_rows(entries: Sequence[str], width: int) -> int:
    """Return the number of rows of a menu."""
    return -(-len(entries) // _columns(entries, width))


class MenuPanel:
    """The choices that fit, in columns."""

    def __init__(self, entries: Sequence[str]) -> None:
        self.entries = entries

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = options.height or console.height
        columns = _columns(self.entries, options.max_width)
        shown = [*self.entries]
        if menu_rows(shown, options.max_width) > height:
            shown = shown[: columns * height - 1]
            shown.append(f".. {len(self.entries) - len(shown)} more")
        rows = menu_rows(shown, options.max_width) if shown else 0
        wide = max(map(len, shown), default=0) + 2
        for row in range(rows):
            yield Text("".join(entry.ljust(wide) for entry in shown[row::rows]).rstrip(), no_wrap=True, overflow="crop")


def _columns(entries: Sequence[str], width: int) -> int:
    return max(1, width // (max(map(len, entries), default=width) + 2))

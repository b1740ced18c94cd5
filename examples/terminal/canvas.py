"""A rectangle of styled characters, and the part of it that a screen shows."""

from collections.abc import Iterator
from itertools import groupby

from rich.style import Style
from rich.text import Text

Column = int
Row = int


class Canvas:
    """Characters by column and row; anything may be written anywhere, what lies outside the window is not kept."""

    def __init__(self, left: Column, top: Row, width: int, height: int) -> None:
        self.left, self.top, self.width, self.height = left, top, width, height
        self._rows: list[list[tuple[str, Style]]] = [[(" ", Style.null())] * width for _ in range(height)]

    def write(self, column: Column, row: Row, text: str, style: Style) -> None:
        """Write one line of text."""
        if not 0 <= row - self.top < self.height:
            return
        line = self._rows[row - self.top]
        for place, character in enumerate(text, column - self.left):
            if 0 <= place < self.width:
                line[place] = character, style

    def lines(self) -> Iterator[Text]:
        """The window, line by line."""
        for row in self._rows:
            line = Text(no_wrap=True)
            for style, run in groupby(row, key=lambda cell: cell[1]):
                line.append("".join(character for character, _ in run), style)
            yield line

"""A canvas of styled characters."""

from collections.abc import Iterator
from itertools import groupby

from rich.style import Style
from rich.text import Text

Column = int
Row = int


class Canvas:
    """A window of styled characters by column and row; writes outside it have no effect."""

    def __init__(self, left: Column, top: Row, width: int, height: int) -> None:
        self.left, self.top, self.width, self.height = left, top, width, height
        self._rows: list[list[tuple[str, Style]]] = [[(" ", Style.null())] * width for _ in range(height)]

    def write(self, column: Column, row: Row, text: str, style: Style) -> None:
        """Write one line of text."""
        if not 0 <= row - self.top < self.height:
            return
        line = self._rows[row - self.top]
        for index, character in enumerate(text, column - self.left):
            if 0 <= index < self.width:
                line[index] = character, style

    def lines(self) -> Iterator[Text]:
        """Yield the lines of the window."""
        for row in self._rows:
            line = Text(no_wrap=True)
            for style, run in groupby(row, key=lambda cell: cell[1]):
                line.append("".join(character for character, _ in run), style)
            yield line

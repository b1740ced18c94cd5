"""Legal moves as pages of options; what does not fit on one page is chosen by cell or ship first.

Options start with the numbers that the picture shows: a move's position in the list, from 1. Placements that look and
play like another one are neither in the picture nor here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from examples.chat.actions import ChatAction
from examples.chat.phrases import Language, translate
from examples.chat.screens import Button, ChatFormat
from south_seas.models import Deliver, LegalMoves, Move, Pass, PlaceTile

SEPARATOR = " · "
"""Between the numbers of an option and its text."""


class Choice(NamedTuple):
    """A question with its options, and other buttons."""

    question: str
    options: Sequence[Button]
    buttons: Sequence[Button]


class MoveMenus:
    """The questions that lead to a legal move."""

    def __init__(
        self, chat: ChatFormat, language: Language, game: str, legal: LegalMoves, ships: Mapping[str, str]
    ) -> None:
        """Take the labels of ships too, which only the moves that `starts_with_ships` need."""
        self._chat = chat
        self._language = language
        self._game = game
        self._legal = legal
        self._ships = ships
        self._numbered = [pair for pair in enumerate(legal.moves, start=1) if pair[1].id not in legal.repeated]

    def choice(self, action: ChatAction | None) -> Choice:
        """Return the question after an action, or the first one."""
        match action:
            case ChatAction(name="cell", value=cell):
                return self._rotations(cell)
            case ChatAction(name="ship", value=value):
                ship, _, page = value.partition(":")
                return self._payments(ship, int(page or 0))
            case ChatAction(name="page", value=page):
                return self._first(int(page or 0))
            case _:
                return self._first(0)

    def single_move(self, cell: str) -> Move | None:
        """Return the move at a cell, as `x.y`, if there is only one."""
        moves = [move for _, move in self._numbered if _cell(move) == cell]
        return moves[0] if len(moves) == 1 else None

    def _first(self, page: int) -> Choice:
        if self._legal.phase == "place_tile" and len(self._numbered) > self._chat.page_size:
            return self._page("choose_cell", self._groups("cell", _cell, _describe_cell), page, "page", "")
        if starts_with_ships(self._chat, self._legal):
            choice = self._page("choose_ship", self._groups("ship", _ship, self._ships.__getitem__), page, "page", "")
        else:
            moves = self._moves(lambda move: not isinstance(move.action, Pass))
            choice = self._page("choose_move", moves, page, "page", "")
        passing = self._moves(lambda move: isinstance(move.action, Pass))
        return choice._replace(buttons=[*choice.buttons, *(button._replace(style="primary") for button in passing)])

    def _rotations(self, cell: str) -> Choice:
        rotations = [
            self._move(number, move, _turn(move.action))._replace(style="primary")
            for number, move in self._numbered
            if isinstance(move.action, PlaceTile) and _cell(move) == cell
        ]
        return Choice(translate(self._language, "choose_turn"), (), [*rotations, self._back()])

    def _payments(self, ship: str, page: int) -> Choice:
        choice = self._page("choose_wares", self._moves(lambda move: _ship(move) == ship), page, "ship", f"{ship}:")
        return choice._replace(buttons=[*choice.buttons, self._back()])

    def _moves(self, wanted: Callable[[Move], bool]) -> list[Button]:
        return [self._move(number, move, _describe(move)) for number, move in self._numbered if wanted(move)]

    def _groups(self, name: str, key: Callable[[Move], str], text: Callable[[str], str]) -> list[Button]:
        """Return an option for each group of moves with the same key, except the empty one."""
        groups: dict[str, list[int]] = {}
        for number, move in self._numbered:
            groups.setdefault(key(move), []).append(number)
        return [self._button(numbers, text(value), name, value) for value, numbers in groups.items() if value]

    def _page(self, question: str, options: Sequence[Button], page: int, name: str, prefix: str) -> Choice:
        """Return a page of options; where more follow, its last option is the next page."""
        size = self._chat.page_size - (len(options) > self._chat.page_size)
        shown = [*options[page * size : (page + 1) * size]]
        if len(options) > (page + 1) * size:
            shown.append(self._page_button("later", name, f"{prefix}{page + 1}"))
        earlier = [self._page_button("earlier", name, f"{prefix}{page - 1}")] if page > 0 else []
        return Choice(translate(self._language, question), shown, earlier)

    def _page_button(self, phrase: str, name: str, value: str) -> Button:
        return Button(translate(self._language, phrase), self._action(name, value))

    def _back(self) -> Button:
        return Button(translate(self._language, "back"), self._action("page", "0"))

    def _move(self, number: int, move: Move, text: str) -> Button:
        return self._button([number], text, "move", move.id)._replace(worth=move.worth or "")

    def _button(self, numbers: Sequence[int], text: str, name: str, value: str) -> Button:
        label = f"{compress_numbers(numbers)}{SEPARATOR}{text}" if self._chat.has_pictures else text
        return Button(label, self._action(name, value))

    def _action(self, name: str, value: str) -> ChatAction:
        return ChatAction(self._game, self._legal.version, name, value)


def starts_with_ships(chat: ChatFormat, legal: LegalMoves) -> bool:
    """Return whether the first question is which ship, because there are many payments."""
    return legal.phase == "deliver" and len(legal.moves) > chat.page_size


def worth_lines(choice: Choice) -> Iterator[str]:
    """Yield what each move of a choice is worth, after its number in the picture."""
    for button in (*choice.options, *choice.buttons):
        if button.worth:
            yield f"{button.label.partition(SEPARATOR)[0]}: {button.worth}"


def compress_numbers(numbers: Sequence[int]) -> str:
    """Return ascending numbers as text, with a range for consecutive ones.

    >>> compress_numbers([4, 5, 6]), compress_numbers([2, 9]), compress_numbers([7])
    ('4-6', '2, 9', '7')
    """
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]}-{numbers[-1]}"
    return ", ".join(map(str, numbers))


def _describe(move: Move) -> str:
    """Return what tells a move from the others of its menu; of a placement, less than its text."""
    return f"{_describe_cell(_cell(move))} {_turn(move.action)}" if isinstance(move.action, PlaceTile) else move.text


def _describe_cell(cell: str) -> str:
    return f"({cell.replace('.', ', ')})"


def _turn(placement: PlaceTile) -> str:
    return f"{90 * placement.rotation}°"


def _cell(move: Move) -> str:
    return f"{move.action.x}.{move.action.y}" if isinstance(move.action, PlaceTile) else ""


def _ship(move: Move) -> str:
    return move.action.ship if isinstance(move.action, Deliver) else ""

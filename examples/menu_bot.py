"""Play games from menus of 25 rows alone, as a chat shows them: `python -m examples.menu_bot [URL]`.

A menu has all moves if they fit. Otherwise it has cells, and the moves that have no cell, and a cell leads to a menu of
its moves. The bot presses rows for all players, until it has made every kind of move.
"""

import random
import sys
from collections import Counter
from typing import get_args

try:
    from examples.command_line import run_on_service
    from south_seas import Client
    from south_seas.models import CellChoice, CreateGame, GameAction, LegalMoves, Move, PlaceTile, SeatRequest
except ModuleNotFoundError as missing:
    sys.exit(f"{missing}. Install the client, then run python -m examples.menu_bot: see examples/README.md.")

MENU_ROWS = 25
PAGE_ROWS = 24
"""With "more" below them, which leads to the next page."""
NAMES = ("Ana", "Bo", "Cy", "Di", "Eve")
KINDS = {kind.__name__ for kind in get_args(GameAction)}
MAX_GAMES = 60

Row = CellChoice | Move


async def read_menu(client: Client, game: str, cell: CellChoice | None = None) -> tuple[LegalMoves, list[Row]]:
    """Return the last page of a menu, and the rows of all its pages."""
    if cell is None:
        page = await client.legal_moves(game, limit=MENU_ROWS)
        if page.next_cursor is None:
            return page, [move for move in page.moves if move.id not in page.repeated]
    rows: list[Row] = []
    cursor = None
    while True:
        if cell is None:
            page = await client.legal_moves(game, stage="cell", limit=PAGE_ROWS, cursor=cursor)
        else:
            page = await client.legal_moves(game, x=cell.x, y=cell.y, limit=PAGE_ROWS, cursor=cursor)
        shown: list[Row] = [*(page.cells or ()), *page.moves]
        if not 1 <= len(shown) <= PAGE_ROWS:
            sys.exit(f"A menu of game {game} has {len(shown)} rows.")
        rows += shown
        cursor = page.next_cursor
        if cursor is None:
            return page, rows


def choose(menu: LegalMoves, rows: list[Row]) -> Row:
    """Choose a row at random; place tiles near the middle, and merchants, so that markets are completed."""
    if menu.phase == "place_tile":
        cells = [row.action if isinstance(row, Move) else row for row in rows]
        distances = [max(abs(cell.x), abs(cell.y)) for cell in cells if isinstance(cell, CellChoice | PlaceTile)]
        rows = [row for row, distance in zip(rows, distances, strict=True) if distance == min(distances)]
    return random.choice([row for row in rows if "place a merchant" in row.text] or rows)


async def play_game(client: Client, game: str) -> Counter[str]:
    """Press rows until the game is over; return how often each kind of move was made."""
    made = Counter[str]()
    while True:
        menu, rows = await read_menu(client, game)
        if not rows:
            return made
        row = choose(menu, rows)
        if isinstance(row, CellChoice):
            menu, rows = await read_menu(client, game, row)
            row = choose(menu, rows)
        if not isinstance(row, Move):
            sys.exit(f"A cell of game {game} has no moves.")
        await client.act(game, row, if_match=f"{menu.version}")
        made[type(row.action).__name__] += 1


async def main(url: str) -> None:
    """Play games until every kind of move was made."""
    made = Counter[str]()
    async with Client(url, language="en") as client:
        for number in range(1, MAX_GAMES + 1):
            created = await client.create(
                CreateGame(
                    players=[SeatRequest(name=name) for name in NAMES],
                    edition="german" if number % 2 else "international",
                )
            )
            made += await play_game(client.with_token(created.owner_token), created.game.id)
            if made.keys() == KINDS:
                print(f"{number} games from menus of {MENU_ROWS} rows: {dict(made.most_common())}")
                return
    sys.exit(f"{MAX_GAMES} games, but never {KINDS - made.keys()}.")


if __name__ == "__main__":
    run_on_service(main, __doc__)

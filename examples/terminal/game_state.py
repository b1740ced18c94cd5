"""All that one terminal knows of a game, and what it shows of it. Nothing here asks the service anything."""

from enum import Enum

from rich.style import Style

from examples.terminal.board import Cell, View
from examples.terminal.choices import Meaning, Menu, make_menu
from examples.terminal.palette import NAMES, SEATS, letters
from examples.terminal.saved_seats import Seats
from examples.terminal.tile_picture import LARGE, MEDIUM, SMALL
from schemas.commands import LegalMoves
from schemas.diffs import Diff
from schemas.events import TilePlaced
from schemas.game import GameView
from schemas.scores import Scores, TilesLeft
from schemas.story import Story
from schemas.tileset import TileSet

KEPT_SENTENCES = 200

TOLD_AT_FIRST = 12
"""How many changes of the past are told to whoever comes back."""


class Page(Enum):
    """What can be shown in place of the board."""

    HELP = "help"
    SCORES = "scores"
    TILES = "tiles left"
    ISLANDERS = "islanders"
    RESULT = "result"


class Table:
    """A game as one terminal sees it."""

    def __init__(self, seats: Seats, tileset: TileSet, game: GameView, digest: str) -> None:
        self.seats = seats
        self.tiles = {tile.id: tile for tile in tileset.tiles}
        self.ships = {ship.id: ship for ship in tileset.ships}
        self.game = game
        """GAME as far as it is known here."""
        self.digest = digest
        self.menu: Menu | None = None
        self.typed = ""
        self.view = View()
        self.page: Page | None = None
        self.scroll = 0
        self.scores: Scores | None = None
        self.left: TilesLeft | None = None
        self.told: list[str] = []
        """What happened, in the service's sentences."""
        self.told_until = max(0, game.version - TOLD_AT_FIRST)
        """The version that they reach."""
        self.fresh: set[Cell] = set()
        """Cells of the tiles placed since the last move from here."""
        self.note = ""
        """Something to be read now, until the next key."""
        self.online = True
        self.sending = False

    @property
    def token(self) -> str | None:
        """The token of whoever decides, if they play here."""
        return self.seats.seats.get(self.game.turn.decider) if self.game.turn else None

    @property
    def last(self) -> Cell:
        """Where the last tile was placed."""
        key = max(self.game.board, key=lambda cell: self.game.board[cell].order)
        x, y = key.split(",")
        return int(x), int(y)

    @property
    def meaning(self) -> Meaning:
        """What is typed, as a move."""
        return self.menu.meaning(self.typed) if self.menu is not None else Meaning(None, ())

    @property
    def letters(self) -> list[str]:
        """Each player's letter."""
        return letters([player.name for player in self.game.players])

    def name(self, seat: int) -> str:
        """A player's name."""
        return self.game.players[seat].name or f"Player {seat + 1}"

    def style(self, seat: int) -> Style:
        """A player's colours."""
        color = self.game.players[seat].color
        return SEATS[color] if color is not None else Style.null()

    def name_style(self, seat: int) -> Style:
        """A player's colour in a sentence."""
        color = self.game.players[seat].color
        return NAMES[color] if color is not None else Style.null()

    def needs_moves(self) -> bool:
        """Whether somebody here decides and the moves are not known yet."""
        return self.token is not None and (self.menu is None or self.menu.version != self.game.version)

    def take_moves(self, legal: LegalMoves) -> None:
        """Offer the legal moves, if they are those of the version that is shown."""
        if legal.version == self.game.version and self.token is not None:
            self.menu = make_menu(legal.version, legal.moves, self.game, self.tiles, self.ships)

    def take_diff(self, diff: Diff, game: GameView) -> None:
        """Go on by one diff; `game` is the state after it."""
        self.take_whole(game, diff.digest)
        self.fresh |= {(event.x, event.y) for event in diff.events if isinstance(event, TilePlaced)}

    def take_story(self, story: Story) -> None:
        """Go on telling what happened."""
        self.told += [line.text for line in story.lines if line.text]
        del self.told[:-KEPT_SENTENCES]
        self.told_until = story.lines[-1].version

    def take_whole(self, game: GameView, digest: str) -> None:
        """Go on from a state."""
        self.game, self.digest = game, digest
        self.menu = None
        if self.game.status == "finished":
            self.page = Page.RESULT

    def acted(self) -> None:
        """A move was sent: the typed line is done, and what is new is what comes now."""
        self.typed = ""
        self.note = ""
        self.sending = True
        self.fresh = set()
        self.view = self.view._replace(across=0, down=0)

    def zoom(self) -> None:
        """From the size that fits to large, to medium, to small, and back."""
        following = {None: LARGE, LARGE: MEDIUM, MEDIUM: SMALL, SMALL: None}
        self.view = View(following[self.view.size])

    def pan(self, across: int, down: int) -> None:
        """Look further that way."""
        self.view = self.view._replace(across=self.view.across + across, down=self.view.down + down)

    def open_page(self, page: Page | None) -> None:
        """Show a page in place of the board, or the board again."""
        self.page = page
        self.scroll = 0

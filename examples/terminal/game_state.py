"""The state of a game at a terminal, and of its screen. It sends no requests."""

from enum import Enum

from rich.style import Style

from examples.terminal.board import Cell, Viewport
from examples.terminal.choices import Menu, MenuMatch, make_menu
from examples.terminal.palette import NAME_STYLES, SEAT_STYLES, player_letters
from examples.terminal.saved_seats import SavedSeats
from examples.terminal.tile_picture import LARGE, MEDIUM, SMALL
from south_seas.models import Diff, GameView, LegalMoves, Scores, Story, TilePlaced, TileSet, TilesLeft

MAX_STORY_LINES = 200

INITIAL_STORY_VERSIONS = 12
"""The number of past versions in the story after a start."""


class Page(Enum):
    """A page in place of the board."""

    HELP = "help"
    SCORES = "scores"
    TILES = "tiles left"
    ISLANDERS = "islanders"
    RESULT = "result"


class GameState:
    """A game and its screen at one terminal."""

    def __init__(self, seats: SavedSeats, tileset: TileSet, game: GameView, digest: str) -> None:
        self.seats = seats
        self.tiles = {tile.id: tile for tile in tileset.tiles}
        self.ships = {ship.id: ship for ship in tileset.ships}
        self.game = game
        """GAME at the last known version."""
        self.digest = digest
        self.menu: Menu | None = None
        self.typed = ""
        self.viewport = Viewport()
        self.page: Page | None = None
        self.scroll = 0
        self.scores: Scores | None = None
        self.tiles_left: TilesLeft | None = None
        self.story_lines: list[str] = []
        """The service's story of the game."""
        self.story_version = max(0, game.version - INITIAL_STORY_VERSIONS)
        """The version that the story reaches."""
        self.new_cells: set[Cell] = set()
        """The cells of tiles placed since the last move from this terminal."""
        self.note = ""
        """A message that is shown until the next key."""
        self.is_connected = True
        self.is_sending = False

    @property
    def token(self) -> str | None:
        """The token of the deciding player, if they play here."""
        return self.seats.seats.get(self.game.turn.decider) if self.game.turn else None

    @property
    def absent_seat(self) -> int | None:
        """A seat of this terminal whose player can return to it: a bot plays it, or the game is paused."""
        if self.game.turn is None or self.token is not None:
            return None
        players = [self.game.players[seat] for seat in self.seats.seats]
        present = [player for player in players if not player.resigned and (player.bot or self.game.turn.paused)]
        return present[0].seat if present else None

    @property
    def last_cell(self) -> Cell:
        """The cell of the last placed tile."""
        key = max(self.game.board, key=lambda cell: self.game.board[cell].order)
        x, y = key.split(",")
        return int(x), int(y)

    @property
    def menu_match(self) -> MenuMatch:
        """The match of the typed text."""
        return self.menu.match(self.typed) if self.menu is not None else MenuMatch(None, ())

    @property
    def letters(self) -> list[str]:
        """Each player's letter."""
        return player_letters([player.name for player in self.game.players])

    def name(self, seat: int) -> str:
        """Return a player's name."""
        return self.game.players[seat].name or f"Player {seat + 1}"

    def style(self, seat: int) -> Style:
        """Return a player's colours."""
        color = self.game.players[seat].color
        return SEAT_STYLES[color] if color is not None else Style.null()

    def name_style(self, seat: int) -> Style:
        """Return the style of a player's name in text."""
        color = self.game.players[seat].color
        return NAME_STYLES[color] if color is not None else Style.null()

    def needs_moves(self) -> bool:
        """Return whether a player here decides and the legal moves are not loaded."""
        return self.token is not None and (self.menu is None or self.menu.version != self.game.version)

    def set_legal_moves(self, legal: LegalMoves) -> None:
        """Set the legal moves, if they are those of the shown version."""
        if legal.version == self.game.version and self.token is not None:
            moves = [move for move in legal.moves if move.id not in legal.repeated]
            self.menu = make_menu(legal.version, moves, self.ships)

    def apply_diff(self, diff: Diff, game: GameView) -> None:
        """Apply a diff; `game` is the state after it."""
        self.apply_snapshot(game, diff.digest)
        self.new_cells |= {(event.x, event.y) for event in diff.events if isinstance(event, TilePlaced)}

    def add_story(self, story: Story) -> None:
        """Append a part of the story."""
        self.story_lines += [line.text for line in story.lines if line.text]
        del self.story_lines[:-MAX_STORY_LINES]
        self.story_version = story.lines[-1].version

    def apply_snapshot(self, game: GameView, digest: str) -> None:
        """Set the state of the game."""
        self.game, self.digest = game, digest
        self.menu = None
        if self.game.status == "finished":
            self.page = Page.RESULT

    def start_sending(self) -> None:
        """Clear the input and the highlights, because a move is sent."""
        self.typed = ""
        self.note = ""
        self.is_sending = True
        self.new_cells = set()
        self.viewport = self.viewport._replace(across=0, down=0)

    def zoom(self) -> None:
        """Change the size of tiles: automatic, large, medium, small."""
        next_size = {None: LARGE, LARGE: MEDIUM, MEDIUM: SMALL, SMALL: None}
        self.viewport = Viewport(next_size[self.viewport.size])

    def pan(self, across: int, down: int) -> None:
        """Scroll the board."""
        self.viewport = self.viewport._replace(across=self.viewport.across + across, down=self.viewport.down + down)

    def open_page(self, page: Page | None) -> None:
        """Show a page in place of the board; None shows the board."""
        self.page = page
        self.scroll = 0

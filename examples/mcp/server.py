"""The tools that an assistant gets: it creates a game, sees the board, lists moves and plays them.

The tokens of the games stay in this process: an assistant names a game by its id, and never sees a secret.
"""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Annotated, ParamSpec, TypeVar

from mcp.server.mcpserver import Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from south_seas import Client, ClientError
from south_seas.models import CreateGame, SeatRequest

SEAT = 0
"""The assistant's."""

MENU_ROWS = 50
PICTURE_WIDTH = 900
MAX_STORY_LINES = 12
"""Lines of what happened since the assistant's last move; each of the others moves once or a few times."""

INSTRUCTIONS = """\
Play Carcassonne: South Seas, a tile-laying game for 2 to 5 players. Call `new_game` once, then, until the game is over:
`list_moves`, and `play` with the id of one of them. In your turn you place a tile, then may place or take back an
islander, and then may take one of the four ships for the wares that it wants: a turn is several moves. Wares and ships
score at the end: each ship its points, and every three wares left one point. `look` shows the board whenever you want
it. The bots move by themselves, before `play` answers.
"""

GameId = Annotated[str, Field(description="The game's id, as new_game returned it.")]
READS = ToolAnnotations(read_only_hint=True)


P = ParamSpec("P")
T = TypeVar("T")


def _tells_errors(tool: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Return a tool whose answer says what the service rejects, and why: the assistant can mend it."""

    @wraps(tool)
    async def told(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await tool(*args, **kwargs)
        except ClientError as error:
            raise ToolError(str(error)) from error

    return told


class Table:
    """The games of one assistant, on one service."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._players: dict[str, Client] = {}
        """A client with the assistant's token, by the game's id."""

    async def new_game(
        self,
        opponents: Annotated[
            list[str], Field(description="A bot for each: random, greedy or expert.", min_length=1, max_length=4)
        ],
        name: Annotated[str, Field(description="What the others call you.")] = "Assistant",
    ) -> str:
        """Create a game against bots; you begin. Return its id, and the current position."""
        bots = [SeatRequest(name=f"{bot} {number}", bot=bot) for number, bot in enumerate(opponents, 1)]
        created = await self._client.create(CreateGame(players=[SeatRequest(name=name), *bots]))
        self._players[created.game.id] = self._client.with_token(created.seats[0].token)
        return f"Game {created.game.id}. {await self._describe(created.game.id)}"

    async def look(self, game: GameId) -> list[str | Image]:
        """Show the board as a picture and as text, the players, the ships, and what was told since the game began."""
        client = self._player(game)
        text = await client.board(game, "txt")
        picture = await client.board(game, "png", width=PICTURE_WIDTH)
        return [text.decode(), await self._describe(game), Image(data=picture, format="png")]

    async def list_moves(
        self,
        game: GameId,
        cursor: Annotated[str, Field(description="The next page, as the last one names it.")] = "",
    ) -> str:
        """List your legal moves as lines of ID: what the move does and what it is worth; and the ships."""
        menu = await self._player(game).legal_moves(game, limit=MENU_ROWS, cursor=cursor or None, effects=True)
        if menu.seat != SEAT:
            return "You have no move now: it is not your turn, or the game is over."
        lines = [f"{move.id}: {move.text}. {move.worth or ''}".rstrip() for move in menu.moves]
        if menu.next_cursor is not None:
            lines.append(f"More: call list_moves with cursor={menu.next_cursor}")
        return "\n".join([*lines, *(f"Ship: {ship.text}" for ship in menu.ships or ())])

    async def play(
        self, game: GameId, move: Annotated[str, Field(description="The id of a move from list_moves.")]
    ) -> str:
        """Play a move, and let the bots answer. Return what happened, and whether it is your turn again."""
        result = await self._player(game).act(game, move)
        return await self._describe(game, since=result.diffs[0].version - 1)

    async def resign(self, game: GameId) -> str:
        """Give the game up; a game against bots alone ends."""
        result = await self._player(game).resign(game)
        return await self._describe(game, since=result.version - 1)

    def _player(self, game: str) -> Client:
        if game not in self._players:
            raise ToolError(f"There is no game {game} of yours: new_game creates one.")
        return self._players[game]

    async def _describe(self, game: str, since: int = 0) -> str:
        """Return what happened since a version, and the position in a few lines."""
        client = self._player(game)
        story, view, scores = await client.story(game, since), await client.game(game), await client.scores(game)
        lines = [line.text for line in story.lines][-MAX_STORY_LINES:]
        for player, points in zip(view.players, scores.players, strict=True):
            wares = f"{player.wares.bananas} bananas, {player.wares.shells} shells and {player.wares.fish} fish"
            lines.append(f"{player.name} has {wares}, and {points.if_ended_now.total} points if the game ended now.")
        return "\n".join([*lines, story.now])


def build_server(client: Client) -> MCPServer:
    """Return the server for a client of a service; what the service rejects is an answer of its tools."""
    table, server = Table(client), MCPServer("south-seas", instructions=INSTRUCTIONS, log_level="WARNING")
    server.add_tool(_tells_errors(table.new_game))
    server.add_tool(_tells_errors(table.look), annotations=READS)
    server.add_tool(_tells_errors(table.list_moves), annotations=READS)
    server.add_tool(_tells_errors(table.play))
    server.add_tool(_tells_errors(table.resign))
    return server

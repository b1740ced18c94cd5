"""A bot for text chats: pass each message to `TextBot.answer(user, text)` and send the reply.

`python examples/text_bot.py [URL]` runs it on standard input, with lines such as `Ana: new greedy`.
"""

import asyncio
import sys
from dataclasses import dataclass, field

from south_seas import Client, ClientError
from south_seas.models import CreateGame, JoinGame, Move, SeatRequest

HELP = "new [greedy|open ...] · join GAME · moves [words] · a move's number · board · scores · story · undo · resign"


@dataclass
class Seat:
    """A user's seat, and the version that their story reached."""

    client: Client
    game: str
    moves: list[Move] = field(default_factory=list)
    if_match: str = ""
    story_version: int = 0

    async def answer(self, word: str, rest: str) -> str:
        """Return the reply to a command."""
        match word:
            case "moves":
                return await self.list_moves(rest)
            case "board":
                return (await self.client.board(self.game, "txt")).decode()
            case "scores":
                view, scores = await asyncio.gather(self.client.game(self.game), self.client.scores(self.game))
                return "\n".join(f"{view.players[one.seat].name}: {one.points_now}" for one in scores.players)
            case "undo" | "resign":
                await getattr(self.client, word)(self.game)
            case number if number.isdecimal() and 1 <= int(number) <= len(self.moves):
                await self.client.act(self.game, self.moves[int(number) - 1], if_match=self.if_match)
                self.moves = []
            case "story":
                pass
            case _:
                return HELP
        return await self.describe_news()

    async def describe_news(self) -> str:
        """Return what happened since the last reply, and whose turn it is."""
        story = await self.client.story(self.game, self.story_version)
        self.story_version = story.lines[-1].version if story.lines else self.story_version
        return "\n".join([*(line.text for line in story.lines if line.text), story.now])

    async def list_moves(self, words: str) -> str:
        """Return a numbered list of the first legal moves that contain `words`."""
        legal = await self.client.legal_moves(self.game, q=words or None, limit=20)
        self.moves, self.if_match = legal.moves, f"{legal.version}-{legal.digest}"
        lines = [f"{number}. {move.text}" for number, move in enumerate(self.moves, start=1)]
        return "\n".join([*lines, "... (moves WORDS finds more)"] if legal.next_cursor else lines) or "Nothing."


class TextBot:
    """The bot: it has one seat for each user."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.seats: dict[str, Seat] = {}

    async def answer(self, user: str, text: str) -> str:
        """Return the reply to a message."""
        word, _, rest = text.strip().partition(" ")
        try:
            if word == "new":
                others = [SeatRequest(open=True) if it == "open" else SeatRequest(bot=it) for it in rest.split()]
                created = await self.client.create(CreateGame(players=[SeatRequest(name=user), *others]))
                return await self._add_seat(user, created.seats[0].token, created.game.id)
            if word == "join":
                joined = await self.client.join(rest, JoinGame(name=user))
                return await self._add_seat(user, joined.token, joined.game.id)
            return await self.seats[user].answer(word, rest) if user in self.seats else HELP
        except ClientError as error:
            return f"That does not work: {error}."

    async def _add_seat(self, user: str, token: str, game: str) -> str:
        self.seats[user] = Seat(self.client.with_token(token), game)
        return f"Game {game}. {await self.seats[user].describe_news()}"


async def main(url: str) -> None:
    """Run a chat on standard input and output."""
    async with Client(url) as client:
        bot = TextBot(client)
        while line := await asyncio.to_thread(sys.stdin.readline):
            user, _, text = line.partition(":")
            print(await bot.answer(user.strip(), text), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"))

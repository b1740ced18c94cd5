"""A bot for any chat that has text: `TextBot.answer(user, text)` is all that it needs.

`python examples/text_bot.py [URL]` is such a chat on standard input: lines as `Ana: new greedy`.
"""

import asyncio
import sys
from dataclasses import dataclass, field

from schemas.actions import Move
from schemas.lobby import CreateGame, JoinGame, SeatRequest
from service.client import Client, ClientError

HELP = "new [greedy|open ...] · join GAME · moves [words] · a move's number · board · scores · story · undo · resign"


@dataclass
class Seat:
    """Where somebody plays, and what they were told so far."""

    client: Client
    game: str
    moves: list[Move] = field(default_factory=list)
    if_match: str = ""
    told: int = 0

    async def answer(self, word: str, rest: str) -> str:
        """What to say to somebody who plays here."""
        match word:
            case "moves":
                return await self.listed(rest)
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
        return await self.news()

    async def news(self) -> str:
        """What happened since the last time, and whose turn it is."""
        story = await self.client.story(self.game, self.told)
        self.told = story.lines[-1].version if story.lines else self.told
        return "\n".join([*(line.text for line in story.lines if line.text), story.now])

    async def listed(self, words: str) -> str:
        """The first legal moves (with these words in them), numbered."""
        legal = await self.client.legal_moves(self.game, q=words or None, limit=20)
        self.moves, self.if_match = legal.moves, f"{legal.version}-{legal.digest}"
        lines = [f"{number}. {move.text}" for number, move in enumerate(self.moves, start=1)]
        return "\n".join([*lines, "... (moves WORDS finds more)"] if legal.next_cursor else lines) or "Nothing."


class TextBot:
    """Everybody's seat, by the name that the chat has for them."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.seats: dict[str, Seat] = {}

    async def answer(self, user: str, text: str) -> str:
        """What to say to somebody who said something."""
        word, _, rest = text.strip().partition(" ")
        try:
            if word == "new":
                others = [SeatRequest(open=True) if it == "open" else SeatRequest(bot=it) for it in rest.split()]
                created = await self.client.create(CreateGame(players=[SeatRequest(name=user), *others]))
                return await self._sit(user, created.seats[0].token, created.game.id)
            if word == "join":
                joined = await self.client.join(rest, JoinGame(name=user))
                return await self._sit(user, joined.token, joined.game.id)
            return await self.seats[user].answer(word, rest) if user in self.seats else HELP
        except ClientError as error:
            return f"That does not work: {error}."

    async def _sit(self, user: str, token: str, game: str) -> str:
        self.seats[user] = Seat(self.client.with_token(token), game)
        return f"Game {game}. {await self.seats[user].news()}"


async def main(url: str) -> None:
    """A chat on standard input and output."""
    async with Client(url) as client:
        bot = TextBot(client)
        while line := await asyncio.to_thread(sys.stdin.readline):
            user, _, text = line.partition(":")
            print(await bot.answer(user.strip(), text), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"))

"""A chat's bot between the real service and people of one channel."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from examples.chat.bot import ChatBot
from examples.chat.games import NewGameOptions, Person
from examples.chat.screens import ChatFormat, Screen
from examples.discord_bot.messages import DISCORD
from tests.polling import TIMEOUT_S

ANA = Person("1", "Ana", "en")
BO = Person("2", "Bo", "fr")
CY = Person("3", "Cy", "de")

CHANNEL = "700"


class Chat:
    """A channel: what its people do, and what the bot posts."""

    def __init__(self, bot: ChatBot) -> None:
        self.bot = bot
        self.posted: list[Screen] = []
        self._changed = asyncio.Condition()

    async def post(self, channel: str, screen: Screen) -> None:
        """Receive a message of the bot."""
        assert channel == CHANNEL
        async with self._changed:
            self.posted.append(screen)
            self._changed.notify_all()

    async def new(self, *people: Person, **options: int | list[str]) -> Screen:
        """Start a game of these people; return the bot's answer."""
        return await self.bot.start_game(people[0], CHANNEL, NewGameOptions(people[1:], **options))  # type: ignore[arg-type]  # by name

    async def begin(self, *people: Person) -> tuple[Screen, Person]:
        """Start a game; return the message that mentions the first player, and that player."""
        earlier = len(self.posted)
        await self.new(*people, **({} if people[1:] else {"bots": ["greedy"]}))
        return await self.call_of(*people, after=earlier)

    async def say(self, person: Person, name: str, game: str | None = None) -> Screen:
        """Send a command."""
        return await self.bot.run_command(person, CHANNEL, name, game)

    async def press(self, person: Person, screen: Screen, name: str) -> Screen:
        """Press the first button with an action of this name."""
        return await self.bot.press(person, next(one.action for one in screen.buttons if one.action.name == name))

    async def choose(self, person: Person, screen: Screen, index: int = 0) -> Screen:
        """Choose one of the options."""
        return await self.bot.press(person, screen.options[index].action)

    async def place(self, person: Person, screen: Screen) -> Screen:
        """Place the first tile of a game by its first move."""
        return await self.choose(person, await self.press(person, screen, "menu"))

    async def wait_for(self, wanted: Callable[[Screen], bool], after: int = 0) -> Screen:
        """Wait for a matching message among those after the first `after`; return the newest one."""
        async with asyncio.timeout(TIMEOUT_S), self._changed:
            await self._changed.wait_for(lambda: any(map(wanted, self.posted[after:])))
        return [screen for screen in self.posted[after:] if wanted(screen)][-1]

    async def call_of(self, *people: Person, after: int = 0) -> tuple[Screen, Person]:
        """Wait for the message that mentions one of these people; return it and the person."""
        by_user = {person.user: person for person in people}
        screen = await self.wait_for(lambda screen: screen.mention in by_user, after)
        return screen, by_user[str(screen.mention)]

    async def wait_for_end(self) -> Screen:
        """Wait for the message that says that the game is over."""
        return await self.wait_for(lambda screen: [one.action.name for one in screen.buttons] == ["rematch"])


@pytest.fixture
def chat_format() -> ChatFormat:
    """Return the format of the chat."""
    return DISCORD


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the path of the database."""
    return tmp_path / "bot.sqlite"


@pytest.fixture
async def chat(url: str, file: Path, chat_format: ChatFormat) -> AsyncIterator[Chat]:
    """Open the bot, whose pictures have 300 pixels."""
    chat = Chat(ChatBot(url, file, chat_format, 300))
    await chat.bot.open(chat.post)
    yield chat
    await chat.bot.close()

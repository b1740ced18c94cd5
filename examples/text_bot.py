"""A bot for text chats: pass each message to `TextBot.answer(user, text)` and send the reply.

`python -m examples.text_bot [URL]` runs it on standard input, with lines such as `Ana: new greedy`.
"""

import asyncio
import re
import sys
import unicodedata
from pathlib import Path

try:
    from examples.chat.bot import COMMANDS, ChatBot
    from examples.chat.games import NewGameOptions, Person
    from examples.chat.screens import Button, ChatFormat, Screen
    from examples.command_line import run_on_service
except ModuleNotFoundError as missing:
    sys.exit(f"{missing}. Install the client, then run python -m examples.text_bot: see examples/README.md.")

CHANNEL = "text"
HELP = f"new [open|greedy|10m ...] · {' · '.join(name for name in COMMANDS if name != 'new')} · the number of a choice"

TEXT = ChatFormat(
    prefix="",
    escape=str,
    mention=lambda _user, name: name,
    page_size=20,
    max_story=1000,
    has_pictures=False,
)


class TextBot:
    """The bot; it remembers the choices that each user saw last."""

    def __init__(self, core: ChatBot) -> None:
        self.core = core
        self._choices: dict[str, list[Button]] = {}

    async def answer(self, user: str, text: str) -> str:
        """Return the reply to a message."""
        word, *words = text.split() or [""]
        person = Person(user, user, "en")
        choices = {f"{number}": choice for number, choice in enumerate(self._choices.get(user, []), start=1)}
        chosen = choices.get(unicodedata.normalize("NFKC", word).removesuffix("."))
        if chosen is not None:
            screen = await self.core.press(person, chosen.action)
        elif word == "new":
            screen = await self.core.start_game(person, CHANNEL, NewGameOptions.parse(words))
        elif word in COMMANDS:
            screen = await self.core.run_command(person, CHANNEL, word, next(iter(words), None))
        elif any(map(str.isdigit, word)):
            return f"There is no choice {word}: {f'choose 1 to {len(choices)}' if choices else 'type moves first'}."
        else:
            return HELP
        self._choices[user] = [*screen.options, *screen.buttons]
        board = await self.core.text_board(screen) if word == "board" else ""
        return board + format_screen(screen)


def format_screen(screen: Screen) -> str:
    """Return a screen as text, with its choices numbered from 1; a list of games has the numbers in its text."""
    choices = enumerate([*screen.options, *screen.buttons], start=1)
    labelled = (
        f"{number}. {button.label}{f': {button.worth}' if button.worth else ''}"
        for number, button in choices
        if button.label != f"{number}"
    )
    return "\n".join([screen.text, *labelled])


async def print_screen(_channel: str, screen: Screen) -> None:
    """Print an announcement; its buttons are for nobody yet."""
    print(screen.text, flush=True)


async def main(url: str) -> None:
    """Run a chat on standard input and output."""
    core = ChatBot(url, Path(f"text-bot-{re.sub('[^0-9A-Za-z]+', '-', url)}.sqlite"), TEXT)
    try:
        await core.open(print_screen)
        bot = TextBot(core)
        while line := await asyncio.to_thread(sys.stdin.readline):
            user, _, text = line.partition(":")
            print(await bot.answer(user.strip(), text), flush=True)
    finally:
        await core.close()


if __name__ == "__main__":
    run_on_service(main, __doc__)

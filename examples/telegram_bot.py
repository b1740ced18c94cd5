"""A Telegram bot for South Seas: `python -m examples.telegram_bot`, with the bot's token in TELEGRAM_TOKEN.

`/new open open` starts a game of three in a group, `/new greedy` one against a bot. The message that notifies a player
becomes the menu of their moves. Only that player can use it; others who press a button get an alert.
"""

import html
import logging
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

try:
    import click
    from telegram import InlineKeyboardButton, InlineKeyboardMarkup, InputMediaPhoto, Message, Update, User
    from telegram.constants import CallbackQueryLimit, ParseMode
    from telegram.error import ChatMigrated, TelegramError
    from telegram.ext import (
        AIORateLimiter,
        Application,
        CallbackQueryHandler,
        CommandHandler,
        ContextTypes,
        Defaults,
        filters,
    )

    from examples.chat.actions import ChatAction
    from examples.chat.bot import COMMANDS, ChatBot
    from examples.chat.command_line import bot_options, one_line_errors
    from examples.chat.games import NewGameOptions, Person
    from examples.chat.phrases import language_of
    from examples.chat.screens import Button, ChatFormat, Screen, clip
except ModuleNotFoundError as missing:
    sys.exit(f"{missing}. See examples/README.md, and: pip install click 'python-telegram-bot[rate-limiter]'")

TelegramApplication = Application[Any, Any, Any, Any, Any, Any]

TELEGRAM = ChatFormat(
    prefix="/",
    escape=lambda text: html.escape(text).replace("@", "@\u200b"),  # otherwise a name such as @ana notifies somebody
    mention=lambda user, name: f'<a href="tg://user?id={user}">{name}</a>',
    page_size=25,
    max_story=500,  # a picture's caption has at most 1024 characters
)

EXAMPLE = "Example: /new open greedy 10m has an open seat, the bot greedy, and ten minutes for a decision."

MENU_ACTIONS = {"menu", "cell", "ship", "page"}

MAX_RETRIES = 2
"""The retries of a request that Telegram postpones, after the time that it names."""

SHORT_LABEL = 16
"""Options with longer labels have a row of their own."""

log = logging.getLogger(__name__)


class TelegramBot:
    """The bot of one service."""

    def __init__(self, core: ChatBot, token: str) -> None:
        self.core = core
        self.application: TelegramApplication = (
            Application.builder()
            .token(token)
            .defaults(Defaults(parse_mode=ParseMode.HTML))
            .concurrent_updates(concurrent_updates=True)
            .rate_limiter(AIORateLimiter(overall_max_rate=0, group_max_rate=0, max_retries=MAX_RETRIES))
            .post_init(self._open)
            .post_shutdown(self._close)
            .build()
        )
        for name in COMMANDS:
            command = CommandHandler(name, partial(self.on_command, name), filters.UpdateType.MESSAGE)
            self.application.add_handler(command)
        self.application.add_handler(CommandHandler(["start", "help"], self.on_help, filters.UpdateType.MESSAGE))
        self.application.add_handler(CallbackQueryHandler(self.on_press))

    async def on_help(self, update: Update, _: ContextTypes.DEFAULT_TYPE) -> None:
        """List the commands."""
        if update.effective_chat is not None:
            lines = [f"/{name}: {description}" for name, description in COMMANDS.items()]
            await self.send(str(update.effective_chat.id), Screen("\n".join([*lines, EXAMPLE])))

    async def on_command(self, name: str, update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
        """Run a command; its words are the other players of `/new`, or a game."""
        if update.effective_user is None or update.effective_chat is None:
            return
        person, channel = person_from(update.effective_user), str(update.effective_chat.id)
        words = context.args or []
        if name == "new":
            screen = await self.core.start_game(person, channel, NewGameOptions.parse(words))
        else:
            screen = await self.core.run_command(person, channel, name, next(iter(words), None))
        await self.send(channel, screen)

    async def on_press(self, update: Update, _: ContextTypes.DEFAULT_TYPE) -> None:
        """Perform the action of a button; show the result in its message, in a new one or as an alert."""
        query = update.callback_query
        if query is None or query.data is None or query.message is None:
            return
        action = ChatAction.parse(query.data)
        screen = await self.core.press(person_from(query.from_user), action)
        is_alert = screen.is_error or (action.name in MENU_ACTIONS and screen.is_others_turn)
        alert = clip(html.unescape(screen.text), CallbackQueryLimit.ANSWER_CALLBACK_QUERY_TEXT_LENGTH)
        try:
            await query.answer(alert if is_alert else None, show_alert=is_alert)
        except TelegramError as error:
            log.warning("cannot answer a button: %s", error)
        if is_alert:
            return
        is_same_message = screen.question or action.name in {"cell", "move"}
        if not (is_same_message and isinstance(query.message, Message) and await self._edit(query.message, screen)):
            await self.send(str(query.message.chat.id), screen)

    async def send(self, channel: str, screen: Screen) -> None:
        """Send a message, at the second attempt without the picture; log a failure."""
        bot, keyboard = self.application.bot, make_keyboard(screen)
        for picture in dict.fromkeys((await self.core.picture(screen), None)):
            try:
                if picture is None:
                    await bot.send_message(channel, screen.text, reply_markup=keyboard)
                else:
                    await bot.send_photo(channel, picture, screen.text, reply_markup=keyboard)
            except ChatMigrated as error:  # a group became a supergroup
                self.core.storage.move_games(channel, str(error.new_chat_id))
                return await self.send(str(error.new_chat_id), screen)
            except TelegramError as error:
                log.warning("cannot send a message to chat %s: %s", channel, error)
            else:
                return None
        return None

    async def _edit(self, message: Message, screen: Screen) -> bool:
        """Edit a message; return whether it shows the screen. A text cannot become a picture, nor the other way."""
        picture, keyboard = await self.core.picture(screen), make_keyboard(screen)
        if bool(message.photo) != (picture is not None):
            return False
        try:
            if picture is None:
                await message.edit_text(screen.text, reply_markup=keyboard)
            else:
                await message.edit_media(InputMediaPhoto(picture, screen.text), reply_markup=keyboard)
        except TelegramError as error:
            if "not modified" not in error.message:
                log.warning("cannot edit a message: %s", error)
                return False
        return True

    async def _open(self, application: TelegramApplication) -> None:
        await self.core.open(self.send)
        await application.bot.set_my_commands([*COMMANDS.items()])

    async def _close(self, _: TelegramApplication) -> None:
        await self.core.close()


def person_from(user: User) -> Person:
    """Return a user as a player."""
    return Person(str(user.id), user.full_name, language_of(user.language_code or "en"))


def make_keyboard(screen: Screen) -> InlineKeyboardMarkup | None:
    """Return the options in rows of three or one, and the buttons below them; None without any."""
    columns = 3 if all(len(option.label) <= SHORT_LABEL for option in screen.options) else 1
    rows = [*make_rows(screen.options, columns), *make_rows(screen.buttons, 3)]
    return InlineKeyboardMarkup(rows) if rows else None


def make_rows(buttons: Sequence[Button], columns: int) -> Iterator[list[InlineKeyboardButton]]:
    """Yield rows of buttons; the data of a button is its action."""
    for start in range(0, len(buttons), columns):
        row = buttons[start : start + columns]
        yield [InlineKeyboardButton(button.label, callback_data=button.action.encode()) for button in row]


@click.command(context_settings={"show_default": True})
@bot_options("TELEGRAM_TOKEN", "telegram-bot.sqlite")
def main(url: str, api_key: str | None, token: str, file: Path, width: int) -> None:
    """Play South Seas in Telegram's chats; TELEGRAM_TOKEN is the token from @BotFather."""
    logging.basicConfig(level=logging.INFO)
    logging.getLogger("httpx").setLevel(logging.WARNING)  # its lines would contain the token
    with one_line_errors("Telegram", TelegramError):
        TelegramBot(ChatBot(url, file, TELEGRAM, width, api_key), token).application.run_polling()


if __name__ == "__main__":
    main()

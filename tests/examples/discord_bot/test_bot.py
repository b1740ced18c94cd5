"""Discord's part of the bot on the real service: discord.py's own objects, within Discord's documented limits."""

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, Mock, create_autospec

import aiohttp
import discord
import pytest
from discord.ui import DynamicItem

from examples.chat.bot import COMMANDS, ChatBot
from examples.chat.screens import Screen
from examples.discord_bot.bot import SouthSeasBot
from examples.discord_bot.commands import SouthSeasCommands
from examples.discord_bot.messages import DISCORD, render_message

CONTENT = 2000
ROWS = 5
BUTTONS = 5
OPTIONS = 25
CUSTOM_ID = 100
BUTTON_LABEL = 80
OPTION_TEXT = 100
PLACEHOLDER = 150
CHOICES = 25
COMMAND_NAME = re.compile(r"[-_a-z0-9]{1,32}")
DESCRIPTION = 100

ACTION_ROW, BUTTON, SELECT = 1, 2, 3


def discord_faults(screen: Screen) -> Iterator[str]:
    """Return what Discord would reject in a screen's message."""
    message = render_message(screen, None)
    yield from message_faults({"content": message.content, "components": message.view.to_components()})


def message_faults(message: dict[str, Any]) -> Iterator[str]:
    """Return what Discord would reject in a message."""
    if len(message.get("content") or "") > CONTENT:
        yield f"a content of {len(message['content'])} characters"
    rows = message.get("components") or []
    if len(rows) > ROWS:
        yield f"{len(rows)} rows"
    for row in rows:
        yield from _row_faults(row)
    ids = [one["custom_id"] for row in rows for one in row["components"]]
    if len(set(ids)) < len(ids):
        yield f"a custom id twice: {ids}"


def _row_faults(row: dict[str, Any]) -> Iterator[str]:
    parts = row["components"]
    if row["type"] != ACTION_ROW or not parts:
        yield f"a row of type {row['type']} with {len(parts)} components"
    selects = [one for one in parts if one["type"] == SELECT]
    if len(parts) > (1 if selects else BUTTONS):
        yield f"{len(parts)} components in a row"
    for one in parts:
        if not 1 <= len(one["custom_id"]) <= CUSTOM_ID:
            yield f"a custom id of {len(one['custom_id'])} characters"
        yield from _select_faults(one) if one["type"] == SELECT else _button_faults(one)


def _button_faults(button: dict[str, Any]) -> Iterator[str]:
    if button["type"] != BUTTON or not 1 <= len(button["label"]) <= BUTTON_LABEL:
        yield f"a button labelled {button.get('label')!r}"


def _select_faults(select: dict[str, Any]) -> Iterator[str]:
    options = select["options"]
    if not 1 <= len(options) <= OPTIONS:
        yield f"{len(options)} options"
    if len({option["value"] for option in options}) < len(options):
        yield "an option's value twice"
    if len(select.get("placeholder") or "") > PLACEHOLDER:
        yield "a long placeholder"
    for option in options:
        if not all(1 <= len(option[name]) <= OPTION_TEXT for name in ("label", "value")):
            yield f"an option {option!r}"


def command_faults(command: dict[str, Any]) -> Iterator[str]:
    """Return what Discord would reject in a command or option."""
    if COMMAND_NAME.fullmatch(command["name"]) is None:
        yield f"a command named {command['name']!r}"
    if not 1 <= len(command["description"]) <= DESCRIPTION:
        yield f"a description of {len(command['description'])} characters"
    options = command.get("options") or []
    if len(options) > OPTIONS:
        yield f"{len(options)} options of a command"
    for option in options:
        yield from command_faults(option)


FAILED = "Something went wrong. Your game is safe; try again."
MOVES = {"cell", "ship", "move"}


class Discord:
    """The bot, its commands, and what it sends into a channel."""

    def __init__(self, core: ChatBot) -> None:
        self.bot = SouthSeasBot(core)
        self.sync = self.bot.tree.sync = AsyncMock()  # type: ignore[method-assign]  # asks Discord
        self.channel = create_autospec(discord.PartialMessageable, instance=True)
        self.bot.get_partial_messageable = Mock(return_value=self.channel)  # type: ignore[method-assign]

    @property
    def commands(self) -> Any:
        (group,) = self.bot.tree.get_commands()
        assert isinstance(group, SouthSeasCommands)
        return group

    def interaction(self, name: str = "Ana", *, locale: str = "en-US", is_private: bool = False) -> Any:
        """Return an interaction of a user; a private one comes from a message that only this user sees."""
        interaction = create_autospec(discord.Interaction, instance=True)
        interaction.client = self.bot
        interaction.user = SimpleNamespace(id=len(name), display_name=name)
        interaction.locale, interaction.channel_id = discord.Locale(locale), 700
        interaction.message = SimpleNamespace(flags=discord.MessageFlags(ephemeral=True)) if is_private else None
        interaction.response = create_autospec(discord.InteractionResponse, instance=True)
        interaction.followup = create_autospec(discord.Webhook, instance=True)
        return interaction

    async def run(self, interaction: Any, name: str, **options: Any) -> str:
        """Run a command; return the text of the response."""
        command = self.commands.get_command(name)
        assert isinstance(command, discord.app_commands.Command)
        callback: Any = command.callback
        await callback(*([self.commands] if name in {"new", "mygames"} else []), interaction, **options)
        return text_of(interaction)

    async def use(self, interaction: Any, item: Any, *values: str) -> None:
        """Use a component as discord.py does: by the class whose template its custom id matches."""
        assert isinstance(item, DynamicItem)
        match = item.template.fullmatch(item.custom_id)
        assert match
        received = await type(item).from_custom_id(interaction, item.item, match)
        received.item._values = [*values]
        await received.callback(interaction)


def text_of(interaction: Any) -> str:
    """Return the text of the last edit of the response; empty without any."""
    edit = interaction.edit_original_response.await_args
    return str(edit.kwargs["content"]) if edit else ""


def items(interaction: Any) -> list[Any]:
    """Return the components of the last edit of the response."""
    return [*interaction.edit_original_response.await_args.kwargs["view"].children]


@pytest.fixture
async def discord_bot(url: str, tmp_path: Path) -> AsyncIterator[Discord]:
    """Start the bot without a connection to Discord."""
    started = Discord(ChatBot(url, tmp_path / "bot.sqlite", DISCORD, 300))
    await started.bot.setup_hook()
    yield started
    await started.bot.close()


async def test_commands_are_registered_within_discords_limits(discord_bot: Discord) -> None:
    discord_bot.sync.assert_awaited_once()
    command = discord_bot.commands.to_dict(discord_bot.bot.tree)
    assert command["name"] == "southseas"
    assert {option["name"] for option in command["options"]} == {*COMMANDS}
    assert list(command_faults(command)) == []


async def test_a_game_is_created_by_options_and_played_by_components(discord_bot: Discord) -> None:
    """The response of a command is for everybody if it starts a game; a menu is its player's, and is edited."""
    new, moves = discord_bot.interaction(), discord_bot.interaction()
    opponent = SimpleNamespace(id=2, display_name="Bo")
    assert (
        await discord_bot.run(new, "new", opponent=opponent, second=opponent, bots=1) == "A new game: Ana, Bo, Greedy."
    )
    new.response.defer.assert_awaited_once_with(ephemeral=False, thinking=True)
    assert len(new.edit_original_response.await_args.kwargs["attachments"]) == 1
    assert (await discord_bot.run(moves, "moves")) != FAILED
    moves.response.defer.assert_awaited_once_with(ephemeral=True, thinking=True)
    alone = discord_bot.interaction("Zoë")
    await discord_bot.run(alone, "new", minutes=5)
    await discord_bot.run(alone, "moves")
    while isinstance(items(alone)[0].item, discord.ui.Select):
        menu, alone = items(alone)[0], discord_bot.interaction("Zoë", is_private=True)
        await discord_bot.use(alone, menu, menu.item.options[0].value)
        alone.response.defer.assert_awaited_once_with()
    pressed = discord_bot.interaction("Zoë", is_private=True)
    await discord_bot.use(pressed, items(alone)[0])
    assert text_of(pressed) != FAILED


async def test_games_and_bots_are_suggested(discord_bot: Discord) -> None:
    interaction, commands = discord_bot.interaction(), discord_bot.commands
    await discord_bot.run(interaction, "new", bots=1)
    games = [choice.value for choice in await commands._suggest_games(interaction, "")]
    assert len(games) == 1
    assert await commands._suggest_games(interaction, "?") == []
    assert {"greedy", "random"} <= {choice.value for choice in await commands._strengths(interaction, "")}
    assert [choice.value for choice in await commands._strengths(interaction, "gree")] == ["greedy"]


def failure(status: int) -> Exception:
    """Return what discord.py raises for a response with this status, or for a lost connection."""
    response = SimpleNamespace(status=status, reason="")
    return discord.HTTPException(response, "no") if status else aiohttp.ClientConnectionError()  # type: ignore[arg-type]


async def test_nothing_is_done_where_discord_no_longer_waits(discord_bot: Discord) -> None:
    interaction = discord_bot.interaction()
    interaction.response.defer.side_effect = failure(404)
    with pytest.raises(discord.HTTPException):
        await discord_bot.run(interaction, "new", bots=1)
    assert discord_bot.bot.core.storage.latest_game("700") is None


@pytest.mark.parametrize("first", (400, 413, 0))
@pytest.mark.parametrize(
    ("later", "pictures", "is_deleted"), (([], [1, 0], False), ([0], [1, 0, 0], False), ([400, 400], [1, 0, 0], True))
)
async def test_a_rejected_response_is_sent_without_its_picture_then_as_an_error_and_then_deleted(
    discord_bot: Discord, first: int, later: list[int], pictures: list[int], *, is_deleted: bool
) -> None:
    """So the user never sees "thinking" for ever."""
    interaction = discord_bot.interaction()
    edit = interaction.edit_original_response
    edit.side_effect = [*map(failure, (first, *later)), *[None] * (len(pictures) - len(later) - 1)]
    assert (await discord_bot.run(interaction, "new", bots=1)) == (FAILED if later else "A new game: Ana, Greedy.")
    assert [len(call.kwargs["attachments"]) for call in edit.await_args_list] == pictures
    assert interaction.delete_original_response.await_count == is_deleted


async def test_an_error_of_a_private_menu_is_beside_it(discord_bot: Discord) -> None:
    interaction = discord_bot.interaction(locale="fr", is_private=True)
    assert await discord_bot.run(interaction, "board", game="nothing") == ""
    interaction.followup.send.assert_awaited_once_with("Je ne connais pas (ou plus) cette partie.", ephemeral=True)


async def test_a_message_mentions_its_player_alone(discord_bot: Discord, caplog: pytest.LogCaptureFixture) -> None:
    await discord_bot.bot.post("700", Screen("<@3>, it is your turn. @everyone", mention="3"))
    assert discord_bot.channel.send.await_args.kwargs["allowed_mentions"].to_dict() == {"parse": [], "users": [3]}
    discord_bot.channel.send.side_effect = failure(403)
    await discord_bot.bot.post("700", Screen("Hello"))
    assert "cannot send a message to channel 700" in caplog.text
    assert dict(render_message(Screen("@everyone <@1>"), None).mentions.to_dict()) == {"parse": [], "users": []}

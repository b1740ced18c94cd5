"""Run the bot: `python -m examples.discord_bot`, with the application's token in DISCORD_TOKEN."""

from pathlib import Path

import click
import discord

from examples.chat.bot import ChatBot
from examples.chat.command_line import bot_options
from examples.discord_bot.bot import SouthSeasBot
from examples.discord_bot.messages import DISCORD


@click.command(context_settings={"show_default": True})
@bot_options("DISCORD_TOKEN", "discord-bot.sqlite")
def main(url: str, api_key: str | None, token: str, file: Path, width: int) -> None:
    """Play South Seas in Discord's channels; DISCORD_TOKEN is the token of the application's bot."""
    discord.utils.setup_logging()
    SouthSeasBot(ChatBot(url, file, DISCORD, width, api_key)).run(token, log_handler=None)


if __name__ == "__main__":
    main()

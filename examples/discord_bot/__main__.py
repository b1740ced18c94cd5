"""Run the bot: `python -m examples.discord_bot`, with the application's token in DISCORD_TOKEN."""

import sys
from pathlib import Path

try:
    import aiohttp
    import click
    import discord

    from examples.chat.bot import ChatBot
    from examples.chat.command_line import bot_options, one_line_errors
    from examples.discord_bot.bot import SouthSeasBot
    from examples.discord_bot.messages import DISCORD
except ModuleNotFoundError as missing:
    sys.exit(f"{missing}. See examples/README.md, and: pip install click discord.py")


@click.command(context_settings={"show_default": True})
@bot_options("DISCORD_TOKEN", "discord-bot.sqlite")
def main(url: str, api_key: str | None, token: str, file: Path, width: int) -> None:
    """Play South Seas in Discord's channels; DISCORD_TOKEN is the token of the application's bot."""
    discord.utils.setup_logging()
    with one_line_errors("Discord", discord.DiscordException, aiohttp.ClientError):
        SouthSeasBot(ChatBot(url, file, DISCORD, width, api_key)).run(token, log_handler=None)


if __name__ == "__main__":
    main()

"""Run the bot: `python -m examples.discord_bot`, with the application's token in DISCORD_TOKEN."""

from pathlib import Path

import click
import discord

from examples.chat.bot import PICTURE_WIDTH
from examples.discord_bot.bot import SouthSeasBot


@click.command(context_settings={"show_default": True})
@click.option("--url", envvar="SOUTH_SEAS_URL", default="http://localhost:8080", help="The URL of the service.")
@click.option("--token", envvar="DISCORD_TOKEN", required=True, help="The application's bot token.", hidden=True)
@click.option(
    "--file",
    envvar="SOUTH_SEAS_BOT_FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("discord-bot.sqlite"),
    help="The bot's file of games and seats.",
)
@click.option(
    "--width",
    type=click.IntRange(0, 4000),
    default=PICTURE_WIDTH,
    help="The width of board pictures in pixels; 0 shows none.",
)
def main(url: str, token: str, file: Path, width: int) -> None:
    """Play South Seas in Discord's channels."""
    discord.utils.setup_logging()
    SouthSeasBot(url, file, width).run(token, log_handler=None)


if __name__ == "__main__":
    main()

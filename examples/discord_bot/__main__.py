"""Run the bot: `python -m examples.discord_bot`, with the application's token in DISCORD_TOKEN."""

from pathlib import Path

import click
import discord

from examples.discord_bot.bot import SeaBot
from examples.discord_bot.games import WIDTH


@click.command(context_settings={"show_default": True})
@click.option("--url", envvar="SOUTH_SEAS_URL", default="http://localhost:8080", help="Where the service is.")
@click.option("--token", envvar="DISCORD_TOKEN", required=True, help="The application's bot token.", hidden=True)
@click.option(
    "--file",
    envvar="SOUTH_SEAS_BOT_FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("discord-bot.sqlite"),
    help="Where the bot keeps its games and seats.",
)
@click.option("--width", type=click.IntRange(0, 4000), default=WIDTH, help="Pixels of a board's picture; 0 shows none.")
def main(url: str, token: str, file: Path, width: int) -> None:
    """Play South Seas in Discord's channels."""
    discord.utils.setup_logging()
    SeaBot(url, file, width).run(token, log_handler=None)


if __name__ == "__main__":
    main()

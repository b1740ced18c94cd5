"""Load bots: the built-in ones, and those that other packages declare as entry points of `ENTRY_POINT_GROUP`."""

from importlib.metadata import EntryPoint, entry_points

import msgspec

from schemas.bots import BotInfo
from service.games.bots.interface import Bot

ENTRY_POINT_GROUP = "south_seas.bots"

BUILT_IN_BOTS = {
    "random": "service.games.bots.random:BOT",
    "greedy": "service.games.bots.greedy:BOT",
    "expert": "service.games.bots.expert:BOT",
}


class InvalidBot(Exception):
    """An entry point does not name a usable bot."""

    def __init__(self, name: str, source: str, reason: str) -> None:
        super().__init__(f"bot {name} ({source}): {reason}")


class LoadedBot(msgspec.Struct, frozen=True):
    """A bot, its public description, and its import path `module:attribute`."""

    bot: Bot
    info: BotInfo
    source: str


def load_bots(*, plugins: bool) -> list[LoadedBot]:
    """Return all bots, sorted by name, with or without plugins. Raises InvalidBot."""
    loaded = {name: load_bot(name, source) for name, source in BUILT_IN_BOTS.items()}
    for entry_point in entry_points(group=ENTRY_POINT_GROUP) if plugins else ():
        if entry_point.name in loaded:
            raise InvalidBot(
                entry_point.name, entry_point.value, f"{loaded[entry_point.name].source} has this name too"
            )
        loaded[entry_point.name] = load_bot(entry_point.name, entry_point.value)
    return [loaded[name] for name in sorted(loaded)]


def load_bot(name: str, source: str) -> LoadedBot:
    """Return the bot that an entry point names. Raises InvalidBot."""
    try:
        bot = EntryPoint(name, source, ENTRY_POINT_GROUP).load()
    except Exception as error:  # importing a plugin may raise anything
        raise InvalidBot(name, source, f"cannot be loaded: {type(error).__name__}: {error}") from error
    try:
        info = msgspec.convert(bot, BotInfo, from_attributes=True)
    except msgspec.ValidationError as error:
        raise InvalidBot(name, source, str(error)) from error
    if info.name != name:
        raise InvalidBot(name, source, f"has the name {info.name}")
    if not callable(getattr(bot, "choose", None)):
        raise InvalidBot(name, source, "has no method `choose`")
    return LoadedBot(bot, info, source)

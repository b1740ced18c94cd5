"""Finding bots: those of the service, and those that other packages offer as entry points of `GROUP`."""

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
    """What an entry point names is no bot; says which and why."""

    def __init__(self, name: str, source: str, reason: str) -> None:
        super().__init__(f"bot {name} ({source}): {reason}")
        self.name = name
        self.source = source
        self.reason = reason


class LoadedBot(msgspec.Struct, frozen=True):
    """A bot, what is told of it, and where it was found: `module:attribute`."""

    bot: Bot
    info: BotInfo
    source: str


def load_bots(*, plugins: bool) -> list[LoadedBot]:
    """All bots by name, with or without those of other packages; raises BadBot."""
    found = {name: load_bot(name, source) for name, source in BUILT_IN_BOTS.items()}
    for offered in entry_points(group=ENTRY_POINT_GROUP) if plugins else ():
        if offered.name in found:
            raise InvalidBot(offered.name, offered.value, f"{found[offered.name].source} has this name too")
        found[offered.name] = load_bot(offered.name, offered.value)
    return [found[name] for name in sorted(found)]


def load_bot(name: str, source: str) -> LoadedBot:
    """The bot that an entry point names; raises BadBot."""
    try:
        bot = EntryPoint(name, source, ENTRY_POINT_GROUP).load()
    except Exception as error:  # importing a package that is not ours may raise anything: it ends as BadBot
        raise InvalidBot(name, source, f"cannot be loaded: {type(error).__name__}: {error}") from error
    try:
        info = msgspec.convert(bot, BotInfo, from_attributes=True)
    except msgspec.ValidationError as error:
        raise InvalidBot(name, source, str(error)) from error
    if info.name != name:
        raise InvalidBot(name, source, f"calls itself {info.name}")
    if not callable(getattr(bot, "choose", None)):
        raise InvalidBot(name, source, "has no method `choose`")
    return LoadedBot(bot, info, source)

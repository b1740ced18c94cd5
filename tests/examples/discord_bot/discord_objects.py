"""Discord's JSON objects: users, messages and interactions, as its API sends them."""

from typing import Any, NamedTuple

APPLICATION = 900
GUILD = 800
CHANNEL = 700
EPHEMERAL = 64
"""The flag of a message that only one user sees."""

TEXT_CHANNEL = {"type": 0, "name": "table", "position": 0, "permission_overwrites": [], "nsfw": False}

OPTION_TYPES: dict[type, int] = {str: 3, int: 4}


class DiscordUser(NamedTuple):
    """A Discord user."""

    id: int
    name: str
    locale: str = "en-US"

    @property
    def user(self) -> dict[str, Any]:
        """The user."""
        names = {"username": self.name, "discriminator": "0", "global_name": None}
        return {"id": str(self.id), **names, "avatar": None, "bot": self.id == APPLICATION}

    @property
    def member(self) -> dict[str, Any]:
        """The user as a member of the guild."""
        voice = {"deaf": False, "mute": False}
        joined_at = "2026-01-01T00:00:00+00:00"
        return {"user": self.user, "roles": [], "joined_at": joined_at, **voice, "flags": 0, "permissions": "0"}


BOT = DiscordUser(APPLICATION, "South Seas")


class SeenMessage(NamedTuple):
    """A message as a user sees it."""

    payload: dict[str, Any]

    @property
    def text(self) -> str:
        """The text."""
        return str(self.payload["content"])

    @property
    def is_private(self) -> bool:
        """Whether only one user sees it."""
        return bool(self.payload["flags"] & EPHEMERAL)

    @property
    def pictures(self) -> list[bytes]:
        """The attached files."""
        return [one["data"] for one in self.payload["attachments"]]

    def components(self, kind: int) -> list[dict[str, Any]]:
        """Return the buttons (2) or menus (3)."""
        return [one for row in self.payload["components"] for one in row["components"] if one["type"] == kind]

    def labels(self) -> list[str]:
        """Return the labels of the buttons."""
        return [one["label"] for one in self.components(2)]

    def acts(self) -> list[str]:
        """Return the custom ids of buttons that play a move."""
        return [one["custom_id"] for one in self.components(2) if ":move:" in one["custom_id"]]

    def options(self) -> list[dict[str, Any]]:
        """Return the options of all menus."""
        return [option for menu in self.components(3) for option in menu["options"]]


def interaction_object(
    person: DiscordUser, number: int, kind: int, data: dict[str, Any], message: dict[str, Any] | None
) -> dict[str, Any]:
    """Return an interaction; `message` is that of the used component."""
    payload: dict[str, Any] = {
        "id": str(number),
        "application_id": str(APPLICATION),
        "type": kind,
        "token": f"token-{number}",
        "version": 1,
        "data": data,
        "guild_id": str(GUILD),
        "guild": {"id": str(GUILD), "locale": "en-US", "features": []},
        "channel": {**TEXT_CHANNEL, "id": str(CHANNEL), "guild_id": str(GUILD)},
        "channel_id": str(CHANNEL),
        "member": person.member,
        "locale": person.locale,
        "guild_locale": "en-US",
        "entitlements": [],
        "authorizing_integration_owners": {},
        "context": 0,
        "attachment_size_limit": 10_485_760,
        "app_permissions": "0",
    }
    if message is not None:
        payload["message"] = {**message, "attachments": []}
    return payload


def message_object(number: int, content: dict[str, Any], flags: int) -> dict[str, Any]:
    """Return a message of the bot with the fields of `content`."""
    return {
        "id": str(number),
        "channel_id": str(CHANNEL),
        "author": BOT.user,
        "content": "",
        "timestamp": "2026-11-22T00:00:00+00:00",
        "edited_timestamp": None,
        "tts": False,
        "mention_everyone": False,
        "mentions": [],
        "mention_roles": [],
        "embeds": [],
        "pinned": False,
        "type": 0,
        "components": [],
        "attachments": [],
        **content,
        "flags": flags,
    }


def ready_object(gateway: str) -> dict[str, Any]:
    """Return the gateway's first event; the bot is in no guild that it must know."""
    return {
        "v": 10,
        "user": BOT.user,
        "guilds": [],
        "session_id": "session",
        "resume_gateway_url": gateway,
        "application": {"id": str(APPLICATION), "flags": 0},
    }


def application_object() -> dict[str, Any]:
    """Return the bot's application."""
    return {
        "id": str(APPLICATION),
        "name": "South Seas",
        "icon": None,
        "description": "",
        "bot_public": True,
        "bot_require_code_grant": False,
        "verify_key": "",
        "owner": BOT.user,
        "flags": 0,
    }


def option_object(name: str, value: Any) -> dict[str, Any]:
    """Return an option of a command."""
    if isinstance(value, DiscordUser):
        return {"name": name, "type": 6, "value": str(value.id)}
    return {"name": name, "type": OPTION_TYPES[type(value)], "value": value}

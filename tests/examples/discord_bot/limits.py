"""Discord's limits on what a bot sends, as its documentation states them."""

import re
from collections.abc import Iterator
from typing import Any

from examples.chat.screens import Screen
from examples.discord_bot.messages import render_message

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

"""The Bot API's limits on messages, and the subset of HTML that it takes."""

from collections.abc import Iterator
from html.parser import HTMLParser

from examples.chat.screens import Screen
from examples.telegram_bot import make_keyboard

MAX_CAPTION = 1024
"""Of a picture; a text may have four times as many characters."""
MAX_DATA_BYTES = 64
MAX_BUTTONS = 100
ALLOWED_TAGS = {"a", "b", "i", "u", "s", "code", "pre"}


class _Markup(HTMLParser):
    """The text without markup, and what Telegram would reject."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.text = ""
        self.faults: list[str] = []
        self._open: list[str] = []
        self.feed(source)
        self.close()
        self.faults += [f"<{tag}> is not closed" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self._open.append(tag)
        if tag not in ALLOWED_TAGS:
            self.faults.append(f"<{tag}>")

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.text += data


def telegram_faults(screen: Screen) -> Iterator[str]:
    """Yield what Telegram would reject in a screen's message."""
    markup = _Markup(screen.text)
    yield from markup.faults
    if not 1 <= len(markup.text) <= MAX_CAPTION:
        yield f"a text of {len(markup.text)} characters"
    keyboard = make_keyboard(screen)
    buttons = [button for row in keyboard.inline_keyboard for button in row] if keyboard else []
    if len(buttons) > MAX_BUTTONS:
        yield f"{len(buttons)} buttons"
    for button in buttons:
        if not button.text or not 1 <= len(str(button.callback_data).encode()) <= MAX_DATA_BYTES:
            yield f"a button {button}"

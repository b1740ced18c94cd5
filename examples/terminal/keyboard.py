"""Single key presses from the terminal."""

import asyncio
import codecs
import os
import re
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager

KEY_NAMES = {
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1b[C": "right",
    "\x1b[D": "left",
    "\x1b[H": "home",
    "\x1b[1~": "home",
    "\x1b[5~": "pageup",
    "\x1b[6~": "pagedown",
    "\x1b": "escape",
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x15": "clear",
    "\x04": "end",
}
"""Keys that are not characters; some terminals send arrows as ESC O."""

KEY_PATTERN = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Z]|.", re.DOTALL)


def parse_keys(text: str) -> Iterator[str]:
    r"""Yield the keys in terminal input: key names and characters.

    >>> list(parse_keys("3b\x1b[A\x1bOB\r"))
    ['3', 'b', 'up', 'down', 'enter']
    """
    for sequence in KEY_PATTERN.findall(text):
        key = sequence.replace("\x1bO", "\x1b[")
        if key in KEY_NAMES:
            yield KEY_NAMES[key]
        elif sequence.isprintable():
            yield sequence


@contextmanager
def read_keys(on_key: Callable[[str], None]) -> Iterator[None]:
    """Call `on_key` for every key within the context; the end of input is the key `end`."""
    loop = asyncio.get_running_loop()
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def read() -> None:
        data = os.read(descriptor, 1024)
        if not data:
            loop.remove_reader(descriptor)
            on_key("end")
        for key in parse_keys(decode(data)):
            on_key(key)

    tty.setcbreak(descriptor)
    loop.add_reader(descriptor, read)
    try:
        yield
    finally:
        loop.remove_reader(descriptor)
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)

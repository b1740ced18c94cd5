"""The keyboard: single keys, as they are pressed."""

import asyncio
import codecs
import os
import re
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager

NAMES = {
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
"""Keys that are no characters; the arrows also come as ESC O."""

PRESSED = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Z]|.", re.DOTALL)


def pressed(text: str) -> Iterator[str]:
    r"""The keys in what a terminal sent: names of keys, and characters.

    >>> list(pressed("3b\x1b[A\x1bOB\r"))
    ['3', 'b', 'up', 'down', 'enter']
    """
    for found in PRESSED.findall(text):
        key = found.replace("\x1bO", "\x1b[")
        if key in NAMES:
            yield NAMES[key]
        elif found.isprintable():
            yield found


@contextmanager
def keyboard(on_key: Callable[[str], None]) -> Iterator[None]:
    """Call `on_key` in the running loop for every key, until left; the end of the input is the key `end`."""
    loop = asyncio.get_running_loop()
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def read() -> None:
        data = os.read(descriptor, 1024)
        if not data:
            loop.remove_reader(descriptor)
            on_key("end")
        for key in pressed(decode(data)):
            on_key(key)

    tty.setcbreak(descriptor)
    loop.add_reader(descriptor, read)
    try:
        yield
    finally:
        loop.remove_reader(descriptor)
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)

"""The commit of one action as the store sends it, with nothing in it that means anything: for the ceilings."""

import os
from typing import NamedTuple

from service.store.batch import Value

DIGEST = "0" * 32
ACCESS = b"x" * 300
KEEP_S = 3600
KEPT = 180
"""Bytes that are kept of an answer: it without its diff, and what was asked."""


META = "1800000000000000"
"""What goes with a diff that is not traced."""


class Sizes(NamedTuple):
    """Mean sizes of what one action sends and stores, in bytes."""

    snapshot: int
    diff: int
    answer: int
    """The body of the answer: the diff and what is around it."""


def keys(game: str, version: int) -> list[str]:
    """KEYS of commit.lua, of the commit that builds on `version`."""
    return [f"bare:{{{game}}}:game", f"bare:{{{game}}}:log", f"bare:{{{game}}}:answer:{version}"]


def arguments(game: str, version: int, sizes: Sizes) -> list[Value]:
    """ARGV of commit.lua: one diff, with an answer to keep; `version` 0 creates the game."""
    on: tuple[Value, Value] = (version, DIGEST) if version else ("", "")
    hooks = ""
    access = b"" if version else ACCESS
    kept = b"k" * KEPT
    return [
        *(os.urandom(16).hex(), *on, hooks, b"s" * sizes.snapshot, access, KEEP_S, f"bare:{{{game}}}:hints", "", 0),
        *(kept, KEEP_S, META, version + 1, DIGEST, DIGEST, b"d" * sizes.diff),
    ]

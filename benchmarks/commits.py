"""The commit of one action as the store sends it, with nothing in it that means anything: for the ceilings."""

import os
import struct
from typing import NamedTuple

from service.store.batch import Value

DIGEST = "0" * 32
ACCESS = b"x" * 300
KEEP_S = 3600
FIELD = 16
"""Bytes of the name of an idempotency key's record."""

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
    return [f"bare:{{{game}}}:game", f"bare:{{{game}}}:log", f"bare:{{{game}}}:answer:{version:064x}"]


def arguments(game: str, version: int, sizes: Sizes) -> list[Value]:
    """ARGV of commit.lua: one diff, with an idempotency key; `version` 0 creates the game."""
    on: tuple[Value, Value] = (version, DIGEST) if version else ("", "")
    hooks = ""
    access = b"" if version else ACCESS
    field = b"k" + os.urandom(FIELD - 1)
    record = struct.pack(">BBIIH16s", 1, 0, 1_800_000_000, version, 1, bytes(16))
    return [
        *(os.urandom(16).hex(), *on, hooks, b"s" * sizes.snapshot, access, KEEP_S, f"bare:{{{game}}}:hints", "", 0),
        *(field, record, META, "", "", version + 1, DIGEST, DIGEST, b"d" * sizes.diff),
    ]

"""The process that draws: jobs come in, each behind its length, until the input ends; pictures go out.

A picture goes out behind `HEAD`, which says whether it is one: else it is the stack of the error that came of it.

The rasteriser holds the interpreter while it works, so that it may not work in the process that serves.
"""

import signal
import struct
import sys
import traceback
from typing import BinaryIO

import msgspec

from service.web.images.jobs import Job, draw

LENGTH = struct.Struct(">I")
HEAD = struct.Struct(">?I")


def work(jobs: BinaryIO, pictures: BinaryIO) -> None:
    """Draw until there is nothing more to read."""
    decoder = msgspec.msgpack.Decoder(Job)
    while head := jobs.read(LENGTH.size):
        job = jobs.read(LENGTH.unpack(head)[0])
        try:
            drawn, picture = True, draw(decoder.decode(job))
        except Exception:  # noqa: BLE001  it goes to the process that asked, which logs it
            drawn, picture = False, traceback.format_exc().encode()
        pictures.write(HEAD.pack(drawn, len(picture)) + picture)
        pictures.flush()


if __name__ == "__main__":
    # A terminal's interrupt reaches every process: the one that serves decides when this one ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    work(sys.stdin.buffer, sys.stdout.buffer)

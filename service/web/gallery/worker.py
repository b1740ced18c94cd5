"""The process that draws: jobs come in, pictures go out, each behind its length, until the input ends.

The rasteriser holds the interpreter while it works, so that it may not work in the process that serves.
"""

import signal
import struct
import sys
from typing import BinaryIO

import msgspec

from service.web.gallery.jobs import Job, draw

LENGTH = struct.Struct(">I")


def work(jobs: BinaryIO, pictures: BinaryIO) -> None:
    """Draw until there is nothing more to read."""
    decoder = msgspec.msgpack.Decoder(Job)
    while head := jobs.read(LENGTH.size):
        picture = draw(decoder.decode(jobs.read(LENGTH.unpack(head)[0])))
        pictures.write(LENGTH.pack(len(picture)) + picture)
        pictures.flush()


if __name__ == "__main__":
    # A terminal's interrupt reaches every process: the one that serves decides when this one ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    work(sys.stdin.buffer, sys.stdout.buffer)

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

from service.web.images.jobs import DrawingJob, draw_job

JOB_LENGTH = struct.Struct(">I")
RESULT_HEADER = struct.Struct(">?I")


def serve_jobs(jobs: BinaryIO, pictures: BinaryIO) -> None:
    """Draw until there is nothing more to read."""
    decoder = msgspec.msgpack.Decoder(DrawingJob)
    while length := jobs.read(JOB_LENGTH.size):
        job = jobs.read(JOB_LENGTH.unpack(length)[0])
        try:
            succeeded, picture = True, draw_job(decoder.decode(job))
        except Exception:  # noqa: BLE001  it goes to the process that asked, which logs it
            succeeded, picture = False, traceback.format_exc().encode()
        pictures.write(RESULT_HEADER.pack(succeeded, len(picture)) + picture)
        pictures.flush()


if __name__ == "__main__":
    # A terminal's interrupt reaches every process: the one that serves decides when this one ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve_jobs(sys.stdin.buffer, sys.stdout.buffer)

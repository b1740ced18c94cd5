"""The worker process: it reads length-prefixed jobs until the input ends, and writes a result for each.

A result has a `RESULT_HEADER`, which says whether it is a picture or the stack of an error.

The worker is a process because the rasterizer holds the GIL while it works.
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
    """Draw jobs until the input ends."""
    decoder = msgspec.msgpack.Decoder(DrawingJob)
    while length := jobs.read(JOB_LENGTH.size):
        job = jobs.read(JOB_LENGTH.unpack(length)[0])
        try:
            succeeded, picture = True, draw_job(decoder.decode(job))
        except Exception:  # noqa: BLE001  the error is sent to the parent process, which logs it
            succeeded, picture = False, traceback.format_exc().encode()
        pictures.write(RESULT_HEADER.pack(succeeded, len(picture)) + picture)
        pictures.flush()


if __name__ == "__main__":
    # A terminal sends SIGINT to every process; the parent decides when the worker ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve_jobs(sys.stdin.buffer, sys.stdout.buffer)

"""How many files, and so sockets, this process may have open."""

import resource
from contextlib import suppress

__all__ = ["raise_open_files_limit"]


def raise_open_files_limit() -> None:
    """Raise the limit on open files as far as the system lets everybody: 1,024 is common, and too few for an instance.

    Nothing here uses `select`, which the low limit is for. Where the system refuses, the limit stays.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

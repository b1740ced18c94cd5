"""The limit on open files, and so on sockets."""

import resource
from contextlib import suppress

__all__ = ["raise_open_files_limit"]


def raise_open_files_limit() -> None:
    """Raise the soft limit on open files to the hard limit: the usual 1,024 are too few for an instance.

    The soft limit exists for `select`, which is not used here. If the system refuses, the limit stays.
    """
    _, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))

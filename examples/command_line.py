"""The command line of the examples: the URL of a service, and errors of one line."""

import argparse
import asyncio
import sqlite3
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from south_seas import APIError, ClientError, UnreachableError

__all__ = ["DEFAULT_URL", "describe_error", "run_on_service", "service_url"]

DEFAULT_URL = "http://127.0.0.1:8080"


def run_on_service(main: Callable[[str], Coroutine[Any, Any, None]], description: str | None) -> None:
    """Run a program on the service that the command line names; say in one line why it had to end."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "url", nargs="?", type=service_url, default=DEFAULT_URL, help="the URL of the service (default %(default)s)"
    )
    url, end = parser.parse_args().url, ""
    try:
        asyncio.run(main(url))
    except* (ClientError, OSError, sqlite3.Error) as errors:
        end = describe_error(errors, url)
    except* KeyboardInterrupt:
        end = "Interrupted."
    if end:
        sys.exit(end)


def service_url(text: str) -> str:
    """Return the URL of a service. Raises ArgumentTypeError, whose message argparse shows."""
    with suppress(ValueError):  # of an invalid port or IPv6 address
        parts = urlsplit(text)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return text
    raise argparse.ArgumentTypeError(f"{text}: a URL begins with http:// or https://, and names a host")


def describe_error(error: BaseException, url: str) -> str:
    """Return what failed, and what helps; of several errors the first."""
    match error:
        case BaseExceptionGroup():
            return describe_error(error.exceptions[0], url)
        case UnreachableError():
            return f"{error}. In a clone of the project, `make serve` starts a service."
        case APIError():
            return f"{url} answers: {error}"
        case TimeoutError():
            return f"{url} has not answered in time"
        case _:
            return str(error)

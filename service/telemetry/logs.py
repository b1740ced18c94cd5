"""The log: lines for people, or one JSON object a line for programs."""

import logging
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec

from service.escaping import printable
from service.telemetry import tracing
from service.telemetry.log_context import DOING

__all__ = ["Format", "configure"]

Format = Literal["text", "json"]

TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"

_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
"""What every record has; anything else was given as `extra`."""


def configure(level: str, form: Format) -> None:
    """Let everything of at least this level be logged on the error stream."""
    handler = logging.StreamHandler()
    handler.setFormatter(Json() if form == "json" else Text(TEXT))
    logging.basicConfig(level=level, handlers=[handler])


class Text(logging.Formatter):
    """A line, and after it what it belongs to; nothing in it that a terminal would obey, nor another line."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (logging's)
        """The line, before a traceback comes."""
        about = " ".join(f"{name}={value}" for name, value in _about(record).items())
        line = super().formatMessage(record)
        return printable(f"{line} [{about}]" if about else line)

    def formatException(self, ei: Any) -> str:  # noqa: N802 (logging's)
        """The traceback, whose messages may have anything in them."""
        return "\n".join(map(printable, super().formatException(ei).splitlines()))


class Json(logging.Formatter):
    """An object with `time`, `level`, `logger`, `message`, and, where known, `request_id`, `game` and `trace_id`."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        told: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
            **_about(record),
        }
        if record.exc_info is not None and record.exc_info[0] is not None:
            told["exception"] = {
                "type": record.exc_info[0].__qualname__,
                "message": str(record.exc_info[1]),
                "stack": self.formatException(record.exc_info),
            }
        return msgspec.json.encode(told, enc_hook=str).decode()


def _about(record: logging.LogRecord) -> dict[str, Any]:
    """What the line belongs to: the request, the game, the trace, and what was given with it."""
    doing, about = DOING.get(), {}
    if doing is not None:
        about = {"request_id": doing.request_id, "game": doing.game}
    about["trace_id"] = tracing.trace_id()
    about |= {name: value for name, value in vars(record).items() if name not in _OWN}
    return {name: value for name, value in about.items() if value is not None}

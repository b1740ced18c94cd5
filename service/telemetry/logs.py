"""The log: lines for people, or one JSON object a line for programs."""

import logging
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec

from service.escaping import escape_unprintable
from service.telemetry import tracing
from service.telemetry.log_context import LOG_CONTEXT

__all__ = ["LogFormat", "configure_logging"]

LogFormat = Literal["text", "json"]

TEXT_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"

_STANDARD_ATTRIBUTES = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
"""What every record has; anything else was given as `extra`."""


def configure_logging(level: str, form: LogFormat) -> None:
    """Let everything of at least this level be logged on the error stream."""
    handler = logging.StreamHandler()
    handler.setFormatter(JSONFormatter() if form == "json" else TextFormatter(TEXT_FORMAT))
    logging.basicConfig(level=level, handlers=[handler])


class TextFormatter(logging.Formatter):
    """A line, and after it what it belongs to; nothing in it that a terminal would obey, nor another line."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (logging's)
        """The line, before a traceback comes."""
        about = " ".join(f"{name}={value}" for name, value in _context_fields(record).items())
        line = super().formatMessage(record)
        return escape_unprintable(f"{line} [{about}]" if about else line)

    def formatException(self, ei: Any) -> str:  # noqa: N802 (logging's)
        """The traceback, whose messages may have anything in them."""
        return "\n".join(map(escape_unprintable, super().formatException(ei).splitlines()))


class JSONFormatter(logging.Formatter):
    """An object with `time`, `level`, `logger`, `message`, and, where known, `request_id`, `game` and `trace_id`."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        told: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
            **_context_fields(record),
        }
        if record.exc_info is not None and record.exc_info[0] is not None:
            told["exception"] = {
                "type": record.exc_info[0].__qualname__,
                "message": str(record.exc_info[1]),
                "stack": self.formatException(record.exc_info),
            }
        return msgspec.json.encode(told, enc_hook=str).decode()


def _context_fields(record: logging.LogRecord) -> dict[str, Any]:
    """What the line belongs to: the request, the game, the trace, and what was given with it."""
    doing, about = LOG_CONTEXT.get(), {}
    if doing is not None:
        about = {"request_id": doing.request_id, "game": doing.game}
    about["trace_id"] = tracing.trace_id()
    about |= {name: value for name, value in vars(record).items() if name not in _STANDARD_ATTRIBUTES}
    return {name: value for name, value in about.items() if value is not None}

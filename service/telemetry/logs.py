"""The log: lines of text, or one JSON object per line."""

import logging
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

import msgspec

from service.telemetry import tracing


class LogContext(Protocol):
    """What log lines say of the current task."""

    @property
    def request_id(self) -> str | None:
        """Return the id of the request, if it answers one."""

    @property
    def game(self) -> str | None:
        """Return the game that it concerns, if any."""


class DueGameContext:
    """The log context of processing a due game, or what is due of no single game (None)."""

    request_id: str | None = None

    def __init__(self, game: str | None) -> None:
        self.game = game


LOG_CONTEXT: ContextVar[LogContext | None] = ContextVar("log_context", default=None)


LogFormat = Literal["text", "json"]

TEXT_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"

_STANDARD_ATTRIBUTES = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
"""Attributes of every record; all others were given as `extra`."""


def configure_logging(level: str, form: LogFormat) -> None:
    """Log everything from this level on to the error stream."""
    handler = logging.StreamHandler()
    handler.setFormatter(JSONFormatter() if form == "json" else TextFormatter(TEXT_FORMAT))
    logging.basicConfig(level=level, handlers=[handler])


def escape_unprintable(text: str) -> str:
    r"""Return the text on one line, with everything escaped that a terminal would interpret or could not show.

    Letters of all scripts are printable; characters that only change the direction of text are not.

    >>> escape_unprintable("Zoë \x1b[2J\nok  done \u202e")
    'Zoë \\x1b[2J\\nok  done \\u202e'
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


class TextFormatter(logging.Formatter):
    """Formats a record as one line with its context, and escapes what a terminal would interpret."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (logging's)
        """Return the line, without the traceback."""
        context = " ".join(f"{name}={value}" for name, value in _context_fields(record).items())
        line = super().formatMessage(record)
        return escape_unprintable(f"{line} [{context}]" if context else line)

    def formatException(self, ei: Any) -> str:  # noqa: N802 (logging's)
        """Return the traceback, whose messages may contain anything."""
        return "\n".join(map(escape_unprintable, super().formatException(ei).splitlines()))


class JSONFormatter(logging.Formatter):
    """Formats a record as an object with `time`, `level`, `logger`, `message`, and its context."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the object as one line."""
        fields: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
            **_context_fields(record),
        }
        if record.exc_info is not None and record.exc_info[0] is not None:
            fields["exception"] = {
                "type": record.exc_info[0].__qualname__,
                "message": str(record.exc_info[1]),
                "stack": self.formatException(record.exc_info),
            }
        return msgspec.json.encode(fields, enc_hook=str).decode()


def _context_fields(record: logging.LogRecord) -> dict[str, Any]:
    """Return the context of a line: `request_id`, `game`, `trace_id`, and what was given as `extra`."""
    context, fields = LOG_CONTEXT.get(), {}
    if context is not None:
        fields = {"request_id": context.request_id, "game": context.game}
    fields["trace_id"] = tracing.trace_id()
    fields |= {name: value for name, value in vars(record).items() if name not in _STANDARD_ATTRIBUTES}
    return {name: value for name, value in fields.items() if value is not None}

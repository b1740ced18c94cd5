"""The findings before a start: `south-seas serve` logs them, and `south-seas config check` prints them."""

import logging
from collections.abc import Iterable

from service.store.server_check import Finding
from service.web.limits import Limits
from service.web.server import RESERVED_FILES, StartFailed, raise_open_files_limit

logger = logging.getLogger(__name__)

_LOG_LEVELS = {"ok": logging.INFO, "warning": logging.WARNING, "unavailable": logging.WARNING}


def report(findings: Iterable[Finding]) -> None:
    """Log findings, one line each. Raises StartFailed for errors."""
    errors = []
    for finding in findings:
        if finding.level == "error":
            errors.append(finding.text)
        else:
            logger.log(_LOG_LEVELS[finding.level], "%s", finding.text)
    if errors:
        raise StartFailed("; ".join(errors))


def fit_connections(limits: Limits, *, is_default: bool) -> tuple[Limits, Finding]:
    """Return the limits with no more connections than open files allow, and what to say of it.

    More connections are an error where somebody asked for them.
    """
    fitting = raise_open_files_limit()
    if fitting >= limits.max_connections:
        return limits, Finding("ok", f"up to {limits.max_connections} connections of clients (--max-connections)")
    text = (
        f"the limit on open files allows {fitting} connections of clients, not {limits.max_connections} "
        f"(--max-connections): raise it (ulimit -n) to {limits.max_connections + RESERVED_FILES}, or ask for less"
    )
    fitted = limits._replace(max_connections=fitting)
    return fitted, Finding("warning" if is_default and fitting else "error", text)

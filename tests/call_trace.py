"""Traces the functions of this project that process a request, with `sys.setprofile`."""

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from tests.tools import ROOT

PACKAGES = ("service", "schemas")

_IS_TRACED: ContextVar[bool] = ContextVar("is_traced", default=False)
"""Inherited by tasks and callbacks that traced code starts, and by no others."""


class CallTrace:
    """The functions that ran, and those on the request's path, each as `module.qualified_name`."""

    def __init__(self, starts: Collection[str], handovers: Collection[str], until: type | None) -> None:
        self._starts = frozenset(starts)
        self._handovers = frozenset(handovers)
        self._until = until
        self._names: dict[CodeType, str | None] = {}
        self.functions: dict[str, None] = {}
        """In the order of their first call."""
        self.path: dict[str, None] = {}
        """The functions on the stack at a handover."""

    def record(self, frame: FrameType, event: str, argument: Any) -> None:
        """Record an event of `sys.setprofile`."""
        if event not in ("call", "return") or (name := self._name(frame.f_code)) is None:
            return
        if name in self._starts:
            if event == "call":
                _IS_TRACED.set(True)
            elif self._until is not None and isinstance(argument, self._until):
                _IS_TRACED.set(False)
        if event == "call" and _IS_TRACED.get():
            self.functions[name] = None
            if name in self._handovers:
                self.path.update(dict.fromkeys(reversed(self._stack(frame))))

    def _stack(self, frame: FrameType) -> list[str]:
        """Return the functions of this project from a frame up to the start."""
        names: list[str] = []
        caller: FrameType | None = frame
        while caller is not None:
            if (name := self._name(caller.f_code)) is not None:
                names.append(name)
                if name in self._starts:
                    break
            caller = caller.f_back
        return names

    def _name(self, code: CodeType) -> str | None:
        if code not in self._names:
            self._names[code] = _function_name(code)
        return self._names[code]


@contextmanager
def trace_calls(starts: Collection[str], handovers: Collection[str], until: type | None = None) -> Iterator[CallTrace]:
    """Trace from each call of a function in `starts` until it returns an instance of `until`.

    `handovers` are functions that pass the request on, to another task or to the network; the stack of each is part of
    the request's path. Inner functions and comprehensions count as a part of their function.
    """
    trace = CallTrace(starts, handovers, until)
    sys.setprofile(trace.record)
    try:
        yield trace
    finally:
        sys.setprofile(None)


def _function_name(code: CodeType) -> str | None:
    """Return a function's dotted name; None for code of other projects, and for module code."""
    path = Path(code.co_filename)
    if not path.is_relative_to(ROOT) or code.co_name == "<module>":
        return None
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[0] not in PACKAGES:
        return None
    name = code.co_qualname.partition(".<locals>")[0]
    return ".".join([*(parts[:-1] if parts[-1] == "__init__" else parts), name])

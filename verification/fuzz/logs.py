"""Fuzzes `south-seas verify` with changed logs, and the check of webhook URLs."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from service.cli.verify import verify_command
from service.games.errors import WebhookUrlRejected
from service.web.outbound import check_url
from tests.games.game_logs import decode_log, play_game, rechain
from verification.fuzz.harness import Budget, Counts, run_property
from verification.fuzz.tilesets import VALUES, change_at, json_paths

LENGTHS = (1, 3, 12)
"""Versions of the logs; a complete log takes seconds to verify."""

PIECES = (
    *("https://", "http://", "HTTPS:", "//", "bot.example", "\u4f8b\u3048.jp", "xn--a", "[::1]", "[", "]", "127.1"),
    "@",
    *("1.1.1.1", "%31", "%", "user:p@", ":443", ":0", ":99999", ":x", "/", "?", "#", "..", "\u2488", "\u00df"),
    "\u200d",
    *("a" * 64, "\u3002", "%00", "localhost", "\ufb00", "\u0660", "[v1.x]", "[fe80::1%25eth0]", "\\", "\ud800"),
)

URLS = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=7).map("".join)


def fuzz(directory: Path, budget: Budget, counts: Counts) -> None:
    """Run both properties. Raise the failure of the smallest counterexample."""
    run_property(_check_logs(directory, counts), budget)
    run_property(_check_urls(counts), budget._replace(examples=10 * budget.examples))


def _check_logs(directory: Path, counts: Counts) -> Callable[[], None]:
    complete = decode_log(play_game("fuzzed"))
    file = directory / "log.json"

    @given(
        st.sampled_from(LENGTHS),
        st.lists(
            st.tuples(
                st.integers(0, 10_000),
                st.sampled_from(("set", "set", "remove", "duplicate", "rotate", "add")),
                st.sampled_from((*VALUES, "/board", "/players/9/x", "add", "p0.0.0", "finished")),
            ),
            min_size=1,
            max_size=3,
        ),
        st.booleans(),
    )
    def check(length: int, changes: list[tuple[int, str, object]], forged: bool) -> None:
        """Check that the command prints a message for any file."""
        counts["logs examples"] += 1
        log = json.loads(json.dumps(complete[:length]))
        for number, change, value in changes:
            paths = json_paths(log)
            log = change_at(log, paths[number % len(paths)], change, value)
        if forged:  # only a well-formed log has a chain of digests to forge
            with suppress(AttributeError, IndexError, KeyError, StopIteration, TypeError):
                log = rechain(log)
        file.write_text(json.dumps(log))
        output = CliRunner().invoke(verify_command, [str(file)])
        assert output.exception is None or isinstance(output.exception, SystemExit), output.exc_info
        assert output.output

    return check


def _check_urls(counts: Counts) -> Callable[[], None]:
    @given(URLS, st.booleans())
    def check(url: str, private: bool) -> None:
        """Check that a URL is accepted or rejected with a reason."""
        counts["urls examples"] += 1
        try:
            check_url(url, allow_private=private)
        except WebhookUrlRejected as error:
            assert error.reason

    return check

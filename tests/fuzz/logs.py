"""Files and URLs that others give: a game's log to be verified, a webhook's address."""

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from service.cli.verify import verify_command
from service.games.errors import WebhookUrlRejected
from service.web.outbound.ssrf import check_url
from tests.fuzz.figures import Effort, Figures, run_property
from tests.fuzz.tilesets import VALUES, change_at, json_locations
from tests.games.game_logs import decode_log, play_game, rechain

LENGTHS = (1, 3, 12)
"""Versions of the logs: a whole one takes seconds to verify."""

PIECES = (
    *("https://", "http://", "HTTPS:", "//", "bot.example", "\u4f8b\u3048.jp", "xn--a", "[::1]", "[", "]", "127.1"),
    "@",
    *("1.1.1.1", "%31", "%", "user:p@", ":443", ":0", ":99999", ":x", "/", "?", "#", "..", "\u2488", "\u00df"),
    "\u200d",
    *("a" * 64, "\u3002", "%00", "localhost", "\ufb00", "\u0660", "[v1.x]", "[fe80::1%25eth0]", "\\", "\ud800"),
)

URLS = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=7).map("".join)


def fuzz(directory: Path, effort: Effort, figures: Figures) -> None:
    """All of it; raises what is found, in its smallest form."""
    run_property(_logs(directory, figures), effort)
    run_property(_urls(figures), effort._replace(examples=10 * effort.examples))


def _logs(directory: Path, figures: Figures) -> Callable[[], None]:
    whole = decode_log(play_game("fuzzed"))
    file = directory / "log.json"

    @given(
        st.sampled_from(LENGTHS),
        st.lists(
            st.tuples(
                st.integers(0, 10_000),
                st.sampled_from(("set", "set", "remove", "double", "turn", "more")),
                st.sampled_from((*VALUES, "/board", "/players/9/x", "add", "p0.0.0", "finished")),
            ),
            min_size=1,
            max_size=3,
        ),
        st.booleans(),
    )
    def check(length: int, changes: list[tuple[int, str, object]], forged: bool) -> None:
        """Whatever is in a file, the command ends with a sentence."""
        figures["logs examples"] += 1
        log = json.loads(json.dumps(whole[:length]))
        for number, how, value in changes:
            result = json_locations(log)
            log = change_at(log, result[number % len(result)], how, value)
        if forged:
            try:
                log = rechain(log)
            except (AttributeError, IndexError, KeyError, StopIteration, TypeError):
                forged = False  # there is nothing left that could be sealed
        file.write_text(json.dumps(log))
        output = CliRunner().invoke(verify_command, [str(file)])
        assert output.exception is None or isinstance(output.exception, SystemExit), output.exc_info
        assert output.output

    return check


def _urls(figures: Figures) -> Callable[[], None]:
    @given(URLS, st.booleans())
    def check(url: str, private: bool) -> None:
        """Check that a URL is accepted, or rejected with a reason."""
        figures["urls examples"] += 1
        try:
            check_url(url, allow_private=private)
        except WebhookUrlRejected as refused:
            assert refused.reason

    return check

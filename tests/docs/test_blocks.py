"""The code blocks of the pages run, and print what the pages say: `tests.docs.blocks` explains the marks."""

import os
import re
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import Block, blocks, check_json, make_script, pages, read_page
from tests.programs import run_program
from tests.tools import CURL, require

RUNNABLE_PAGES = [page for page in pages() if any(block.is_run for block in blocks(page))]

JSON_BLOCKS = [
    block
    for page in pages()
    for block in blocks(page)
    if block.language == "json" and not (block.is_run or block.is_not_run)
]

EXPECTED_OUTPUT = {
    "absent": ("move_undone", "player_returned", "player_resigned", r"^ok +rules"),
    "bot-in-40-lines": ("'reason': 'last_",),
    "clients": ("refused by rule R3", "by now", "tiles in the bag"),
    "first-game": ("'reason': 'last_", r"^last_\w+ \[", r"^ok +rules", '"code": "version_mismatch"'),
    "how-it-works": (r"^\d+ diffs verified$",),
    "phone-app": ("tile_placed", "^subscribed$", "^304$"),
    "websocket": (
        ".*\n".join(
            (
                *("^received welcome", "sent", "received ack", "sent", "received subscribed", "sent", "received diff"),
                *("received ack", "sent", "received error", "sent", "received snapshot", "sent", "received ack$"),
            )
        ),
    ),
}
"""Patterns that the output of a page's shell must contain."""

EXPECTED_PROBLEMS = {"first-game": {"version-mismatch"}}
"""The problems that a page causes on purpose."""


@pytest.mark.parametrize("page", RUNNABLE_PAGES)
async def test_a_page_can_be_followed_from_top_to_bottom(page: str, service_url: str, tmp_path: Path) -> None:
    require(CURL)
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / ".venv").symlink_to(Path(sys.prefix))
    script = make_script((block for block in blocks(page) if block.is_run), service_url.removeprefix("http://"))
    path = f"{sys.base_prefix}/bin{os.pathsep}{os.environ['PATH']}"  # a shim of `python3` would take most of the time
    environment = {"PATH": path, "HOME": str(tmp_path)}
    shell = await run_program(*("sh", "-c", script), cwd=folder, env=environment, timeout_s=110, start_new_session=True)
    assert shell.returncode == 0, f"{shell.stderr}\n{shell.stdout[-2000:]}"
    for pattern in EXPECTED_OUTPUT.get(page, ()):
        assert re.search(pattern, shell.stdout, re.MULTILINE), pattern
    assert set(re.findall(r'"/problems/([a-z-]+)"', shell.stdout)) == EXPECTED_PROBLEMS.get(page, set())


@pytest.mark.parametrize("block", JSON_BLOCKS, ids=lambda block: f"{block.page}:{block.line}")
def test_json_blocks_match_their_schemas(block: Block) -> None:
    check_json(block)


@pytest.mark.parametrize("page", RUNNABLE_PAGES)
def test_a_page_says_where_the_project_s_programs_are(page: str) -> None:
    assert "project's root" in read_page(page) or not any(
        ".venv/" in block.code for block in blocks(page) if block.is_run
    )


@pytest.mark.parametrize("page", pages())
def test_a_block_that_is_not_run_says_why(page: str) -> None:
    for block in blocks(page):
        assert not block.is_not_run or len(block.annotation.removeprefix("no-run:").split()) > 2, block


def test_the_bot_in_40_lines_has_40() -> None:
    (bot,) = [block for block in blocks("bot-in-40-lines") if block.file == "bot.py"]
    assert len(bot.code.splitlines()) == 40

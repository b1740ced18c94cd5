"""Every block of code in the pages does what the page says: `tests.docs.blocks` tells how they are marked."""

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import Block, blocks, check_json, pages, script
from tests.server_process import start_server
from tests.tools import CURL, require

TALES = [page for page in pages() if any(block.runs for block in blocks(page))]

SAMPLES = [
    block
    for page in pages()
    for block in blocks(page)
    if block.language == "json" and not (block.runs or block.shown_only)
]

TOLD = {
    "absent": ("move_undone", "player_returned", "player_resigned", r"^ok +rules"),
    "bot-in-40-lines": ("'reason': 'last_", r"Result\("),
    "clients": ("refused by rule R3", "by now", "tiles in the bag"),
    "first-game": ("'reason': 'last_", "game_finished", r"^ok +rules", '"code": "version_mismatch"'),
    "scaling": (r"^\| 1 million at one sitting \| 100,000 \| 118 \| 25 \| 516 GB \| 83% \| 1,144 Mbit/s \|$",),
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
"""What must be in the output of a page's shell, besides that nothing in it fails."""

REFUSED = {"first-game": {"version-mismatch"}}
"""The kinds of problems that a page shows on purpose."""


@pytest.mark.parametrize("page", TALES)
async def test_a_page_can_be_followed_from_top_to_bottom(page: str, tmp_path: Path) -> None:
    require(CURL)
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / ".venv").symlink_to(Path(sys.prefix))
    async with start_server(tmp_path / "data") as instance:
        shell = await asyncio.create_subprocess_exec(
            *(
                "bash",
                "-c",
                script((block for block in blocks(page) if block.runs), instance.url.removeprefix("http://")),
            ),
            cwd=folder,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        )
        async with asyncio.timeout(110):
            told, errors = await shell.communicate()
    assert shell.returncode == 0, f"{errors.decode()}\n{told.decode()[-2000:]}"
    for words in TOLD.get(page, ()):
        assert re.search(words, told.decode(), re.MULTILINE), words
    assert set(re.findall(r'"/problems/([a-z-]+)"', told.decode())) == REFUSED.get(page, set())


@pytest.mark.parametrize("block", SAMPLES, ids=lambda block: f"{block.page}:{block.line}")
def test_a_sample_of_json_is_what_it_says(block: Block) -> None:
    check_json(block)


@pytest.mark.parametrize("page", pages())
def test_a_block_that_is_only_shown_says_why(page: str) -> None:
    for block in blocks(page):
        assert not block.shown_only or len(block.about.removeprefix("no-run:").split()) > 2, block


def test_the_bot_in_40_lines_has_40() -> None:
    (bot,) = [block for block in blocks("bot-in-40-lines") if block.file == "bot.py"]
    assert len(bot.code.splitlines()) == 40

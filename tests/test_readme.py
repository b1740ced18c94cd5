"""The README is short, its commands run unchanged, and its links lead to existing files."""

import asyncio
import os
import re
import sys
from pathlib import Path

from tests.server_process import start_server
from tests.tools import CURL, ROOT, require

README = (ROOT / "README.md").read_text(encoding="utf-8")
MAX_LINES = 130


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= MAX_LINES


def test_its_links_lead_to_files() -> None:
    links = re.findall(r"\]\(([^)#]+)", README)
    assert [link for link in links if not link.startswith("https://") and not (ROOT / link).exists()] == []


async def test_its_example_plays_a_move_and_draws_the_board(tmp_path: Path) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    require(CURL)
    (tmp_path / ".venv").symlink_to(Path(sys.prefix))
    async with start_server(tmp_path / "data") as instance:
        script = "set -e\n" + "".join(blocks).replace("http://127.0.0.1:8080", instance.url)
        shell = await asyncio.create_subprocess_exec(
            *("bash", "-c", script),
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={"PATH": os.environ["PATH"]},
        )
        async with asyncio.timeout(110):
            stdout, stderr = await shell.communicate()
    assert shell.returncode == 0, stderr.decode()
    assert (tmp_path / "board.png").read_bytes().startswith(b"\x89PNG")
    output = stdout.decode()
    assert '"type": "tile_placed"' in output
    assert '"language": "fr"' in output

"""The README is short, its commands run unchanged, and its links lead to existing files."""

import os
import re
import sys
from pathlib import Path

from tests.programs import run_program
from tests.tools import CURL, ROOT, require

README = (ROOT / "README.md").read_text(encoding="utf-8")
MAX_LINES = 130


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= MAX_LINES


def test_its_links_lead_to_files() -> None:
    links = re.findall(r"\]\(([^)#]+)", README)
    assert [link for link in links if not link.startswith("https://") and not (ROOT / link).exists()] == []


async def test_its_example_plays_a_move_and_draws_the_board(service_url: str, tmp_path: Path) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    require(CURL)
    (tmp_path / ".venv").symlink_to(Path(sys.prefix))
    script = "set -e\n" + "".join(blocks).replace("http://127.0.0.1:8080", service_url)
    environment = {"PATH": os.environ["PATH"]}
    shell = await run_program("sh", "-c", script, cwd=tmp_path, env=environment, timeout_s=110)
    assert shell.returncode == 0, shell.stderr
    assert (tmp_path / "board.png").read_bytes().startswith(b"\x89PNG")
    assert '"type": "tile_placed"' in shell.stdout
    assert '"language": "fr"' in shell.stdout

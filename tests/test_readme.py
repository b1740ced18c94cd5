"""The README's commands, typed as they stand there: a newcomer gets a table, a picture, a move and a story."""

import asyncio
import os
import re
import sys
from pathlib import Path

from tests.started import started
from tests.tools import CURL, require

ROOT = Path(__file__).parent.parent


async def test_a_first_move_as_the_readme_tells_it(tmp_path: Path) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    require(CURL)
    (tmp_path / ".venv").symlink_to(Path(sys.prefix))
    async with started(tmp_path / "data") as instance:
        script = "set -e\n" + "".join(blocks).replace("http://127.0.0.1:8080", instance.url)
        shell = await asyncio.create_subprocess_exec(
            *("bash", "-c", script),
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={"PATH": os.environ["PATH"]},
        )
        async with asyncio.timeout(110):
            told, errors = await shell.communicate()
    assert shell.returncode == 0, errors.decode()
    assert (tmp_path / "board.png").read_bytes().startswith(b"\x89PNG")
    shown = told.decode()
    assert '"text": "place ' in shown
    assert '"type": "tile_placed"' in shown
    assert '"language": "fr"' in shown

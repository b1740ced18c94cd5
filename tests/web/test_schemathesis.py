"""The served document, tried out by a program that knows nothing else: no 5xx, nothing that is not documented."""

import asyncio
import sys
from pathlib import Path

import pytest

from tests.web.played import new_table
from tests.web.served import Client

EXAMPLES = "15"
"""Random cases of each operation, after those that the document's examples and its limits suggest."""

ALL = "examples,coverage,fuzzing"

WITHIN_S = 100

CONFIGURATION = """
[parameters]
"path.id" = "{game}"

[[operations]]
include-path = "/v1/tilesets/{{id}}"
parameters = {{ "path.id" = "archipelago" }}
"""

RESIGN = "/v1/games/{id}/resign"
"""With it the game is soon over."""

SEMANTIC = "positive_data_acceptance"
"""What the schemas allow may still be refused: by the rules, by If-Match, or because names hold odd characters."""


async def schemathesis(client: Client, directory: Path, phases: str, examples: str, *arguments: str) -> None:
    """Run it in a process of its own, always with the same cases; fail with all that it says."""
    process = await asyncio.create_subprocess_exec(
        str(Path(sys.executable).with_name("schemathesis")),
        *("--config-file", str(directory / "schemathesis.toml")),
        *("run", str(client.make_url("/openapi.json"))),
        "--generation-deterministic",
        *("--exclude-checks", SEMANTIC, "--continue-on-failure", "--no-color", "--warnings", "off"),
        *("--phases", phases, "--max-examples", examples),
        *arguments,
        cwd=directory,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(WITHIN_S):
        said, _ = await process.communicate()
    if process.returncode != 0:
        pytest.fail(said.decode(errors="replace"))


async def test_of_a_game_that_is_being_played(client: Client, tmp_path: Path) -> None:
    table = await new_table(client, [{"name": "Ana"}, {"name": "Bo"}, {"bot": "random"}], seed="tides")
    (tmp_path / "schemathesis.toml").write_text(CONFIGURATION.format(game=table.id))
    token = ("-H", f"Authorization: Bearer {table.owner}")
    ending = ("--exclude-method", "DELETE", "--exclude-path", RESIGN)
    await schemathesis(client, tmp_path, ALL, EXAMPLES, *token, *ending)
    await schemathesis(client, tmp_path, ALL, "5", *token, "--include-path", RESIGN)


async def test_of_a_game_with_open_seats_and_of_games_that_are_not_there(client: Client, tmp_path: Path) -> None:
    table = await new_table(client, [{"name": "Ana"}, *({"open": True} for _ in range(4))])
    (tmp_path / "schemathesis.toml").write_text(CONFIGURATION.format(game=table.id))
    changing = ("--include-path", "/v1/games/{id}/seats", "--include-path", "/v1/games/{id}")
    await schemathesis(client, tmp_path, ALL, "5", "-H", f"Authorization: Bearer {table.owner}", *changing)
    (tmp_path / "schemathesis.toml").write_text("")
    await schemathesis(client, tmp_path, "fuzzing", EXAMPLES, "--include-path-regex", "[{]id[}]")

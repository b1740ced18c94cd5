"""Every generator makes a client of the whole document, and programs play whole games with those that compile here."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from south_seas import Client
from tests.docs.blocks import read_page
from tests.generators.clients import CLIENTS, GeneratedClient
from tests.generators.toolchain import OPENAPI, PROGRAMS, generate, play

pytestmark = pytest.mark.timeout(600)


def api_name(tag: str) -> str:
    """Return the class that openapi-generator makes of a tag."""
    return "".join(word[0].upper() + word[1:] for word in tag.split()) + "Api"


DOCUMENT: dict[str, Any] = json.loads(OPENAPI.read_bytes())
OPERATIONS = {
    operation["operationId"]: api_name(operation["tags"][0])
    for item in DOCUMENT["paths"].values()
    for operation in item.values()
}
"""The class of each operation; callbacks have none."""

HARMLESS = (
    "OpenAPI 3.1 support is still in beta",
    "Failed to get the schema name: null",  # of the value of a patch operation, which may be anything
    "'oneOf' is intended to include only the additional optional OAS extension discriminator object",
    "Default to typing.Any",  # the same value
    "Ignoring complex example on request body",
    "cannot be used as",  # a reserved word, and its new name
    "will be renamed to",
)
"""Warnings of openapi-generator that lose nothing."""

PNG = "89504e47"

SNIPPETS = {"kotlin": "snippet.kt", "swift6": "snippet.swift"}
"""Programs in languages that no test compiles, by the target of openapi-generator."""

OWN_NAMES = {
    *("val", "listOf", "url", "gameKey", "moveKey"),
    *("let", "try", "await", "url", "Authorization", "Bearer"),
}
"""Names in snippets that are not generated: the language's and the reader's."""

DECODABLE = {
    "rust": ('rename = "kind", default)]', "pub placed: Option<Box<models::Cell>>,"),
    "swift6": ('case "bridge":', "public var placed: Cell?"),
    "kotlin": ('"bridge" ->', "val placed: Cell?", "val `value`: kotlinx.serialization.json.JsonElement?"),
}
"""What the models of languages without a compiler here must contain to decode responses: tags, and null."""


def squeeze(text: str) -> str:
    """Return the letters and digits of a text, so that createGame, create_game and CreateGame are the same."""
    return re.sub("[^a-z0-9]", "", text.lower())


def warnings(output: str) -> list[str]:
    """Return the lines in which a generator complains."""
    lines = (line for line in output.splitlines() if re.search(r"\b(WARN|WARNING|ERROR|Error|error)\b", line))
    return [line for line in lines if not any(harmless in line for harmless in HARMLESS)]


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_the_page_names_it_with_its_options(client: GeneratedClient) -> None:
    generator = f"{client.generator.removesuffix('-cli')}{f' `{client.target}`' if client.target else ''}"
    options = " ".join(f"`{one}`" for one in (*client.options.split(","), " ".join(client.flags)) if one)
    row = f"| {generator} | {f'no: {client.unplayed}' if client.unplayed else 'yes'} | {options} |"
    assert " ".join(row.split()) in read_page("clients")


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
async def test_it_generates_every_operation_without_a_warning_and_plays_a_whole_game(
    client: GeneratedClient, tmp_path: Path, service_url: str
) -> None:
    """It plays where a compiler of its language comes from a package registry."""
    folder = tmp_path / "client"
    folder.mkdir()
    check_generated(client, folder, generate(client, folder))
    if client.program:
        await check_game(service_url, play(client, folder, service_url))


def check_generated(client: GeneratedClient, folder: Path, output: str) -> None:
    """Check that a client has everything, by its generator's messages and its sources."""
    assert warnings(output) == []
    names = DOCUMENT["components"]["schemas"] if client.generator == "datamodel-code-generator" else OPERATIONS
    sources = [path for path in folder.rglob("*") if path.is_file() and "docs" not in path.parts]
    text = "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in sources)
    squeezed = squeeze(text)
    assert [name for name in names if squeeze(name) not in squeezed] == []
    assert [part for part in DECODABLE.get(client.target, ()) if part not in text] == []
    if client.generator == "openapi-generator-cli":
        assert [name for name in OPERATIONS.values() if squeeze(name) not in squeezed] == []
    assert snippet_names(client.target) - set(re.findall(r"\w+", text)) == set()


def snippet_names(target: str) -> set[str]:
    """Return the names that a snippet uses of a generated client."""
    if target not in SNIPPETS:
        return set()
    code = re.sub("//.*", "", (PROGRAMS / SNIPPETS[target]).read_text(encoding="utf-8"))
    declared = set(re.findall(r"\b(?:val|let) (\w+)", code))
    outside_strings = re.sub(r'"(?:[^"\\$]|\\"|\$\{|\\\()*"', "", code)
    names = set(re.findall(r"\b[A-Za-z_]\w*", outside_strings)) - declared - OWN_NAMES
    assert len(names) > len(declared)
    return names


async def check_game(url: str, report: dict[str, Any]) -> None:
    """Check that a program's report is that of a finished game of the service."""
    async with Client(url) as client:
        game = await client.game(report["id"])
        diffs = [diff async for diff in client.log(game.id)]
        tileset = await client.tileset(game.tileset)
    assert game.result is not None
    assert report == {
        "id": game.id,
        "version": game.version,
        "totals": [score.total for score in game.result.scores],
        "events": sum(len(diff["events"]) for diff in diffs),
        "segments": sum(len(tile.segments) for tile in tileset.tiles),
        "picture": PNG,
    }

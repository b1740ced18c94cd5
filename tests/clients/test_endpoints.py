"""Both clients have a method for every path of the API, and its version."""

import json
import re
import tomllib
from importlib import resources

import pytest

from tests.tools import ROOT

NOT_FOR_PLAYERS = {"/", "/livez", "/readyz", "/openapi.json", "/asyncapi.json"}

PLACE = re.compile(r"\$?\{[^}]*\}")
"""Of a parameter in a path: `{id}` in the document and in Python, `${id}` in TypeScript."""


@pytest.mark.parametrize(
    "sources", ("clients/python/src/south_seas/*.py", "clients/typescript/src/*.ts"), ids=("python", "typescript")
)
def test_every_path_has_a_method(sources: str) -> None:
    document = json.loads(resources.files("schemas").joinpath("openapi.json").read_bytes())
    text = "\n".join(file.read_text() for file in ROOT.glob(sources) if file.name != "schema.ts")
    requested = [
        re.compile("[^/]+".join(map(re.escape, PLACE.split(path))))
        for path in re.findall(r'["`](/v1/[^"`]+)["`]', text)
    ]
    paths = {PLACE.sub("0", path) for path in document["paths"]} - NOT_FOR_PLAYERS
    assert {path for path in paths if not any(one.fullmatch(path) for one in requested)} == set()


def test_the_versions_of_the_clients_follow_the_api() -> None:
    document = json.loads(resources.files("schemas").joinpath("openapi.json").read_bytes())
    python = tomllib.loads((ROOT / "clients/python/pyproject.toml").read_text())["project"]
    typescript = json.loads((ROOT / "clients/typescript/package.json").read_text())
    for client in (python, typescript):
        assert client["version"].split(".")[:2] == document["info"]["version"].split(".")[:2]

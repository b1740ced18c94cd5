"""Build the documentation site: `python -m tools.site` makes the files that the service serves at /docs and /clients.

It also draws the pictures of the tile sets in the package.

The sources can also be read on a code host: their links lead to files. Here links to files of which the site has a page
lead to it (`pages`), and those to other files outside `docs/` become plain text. Exits with 1 if a link leads nowhere.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from service.drawing.palette import THEMES
from service.drawing.tile import draw_rotations, tiles_svg
from service.games.tilesets import load_catalogue
from service.web.images import BUILT_PICTURES, picture_name
from tools.site.client_packages import build_packages
from tools.site.messages import render_messages
from tools.site.pages import PAGES

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
SITE = ROOT / "service" / "web" / "static" / "docs"
CLIENTS = SITE.with_name("clients")

VIEWER = """\
---
hide: [navigation, toc]
---

# HTTP API

{description}

The machine-readable document is OpenAPI 3.1: [/openapi.json](../openapi.json). **Try it out** calls this service.
[WebSocket messages](socket.md) have a page of their own.

<link rel="stylesheet" href="assets/swagger-ui/swagger-ui.css">
<link rel="stylesheet" href="assets/viewer.css">
<div id="viewer"><noscript>The list of operations needs JavaScript; the document does not.</noscript></div>
<script src="assets/swagger-ui/swagger-ui-bundle.js"></script>
<script src="assets/viewer.js"></script>

## Operations

| Operation | Summary |
|---|---|
{operations}
"""

MADE_FROM = {
    "schemas/openapi.json": "api",
    "schemas/asyncapi.json": "socket",
    "examples/README.md": "examples",
} | {page.source: page.name for page in PAGES}
"""The pages that are no file of `docs/`, by the file that a code host shows in their place."""

_FENCE = re.compile(r"^( *```\w+) (.+)$", re.MULTILINE)
_TAB = re.compile(r"^```(\w+) tab\n(.*?)^```\n\n?", re.MULTILINE | re.DOTALL)
_TAB_LABELS = {"sh": "curl", "python": "Python", "ts": "TypeScript"}
"""The labels of blocks that say the same in several languages."""

_FILE = re.compile(r"[\w-]+\.\w+")
_EXAMPLE_LINK = re.compile(r"\]\(\.\./examples/(?:\w+/)*(\w+)\.(\w+)\)")
_OUTSIDE_LINK = re.compile(r"\[([^\]]*)\]\(\.\./[^)]*\)")


def main() -> int:
    """Build the site anew; return the exit status."""
    with TemporaryDirectory() as directory:
        work = Path(directory)
        write_sources(work / "docs")
        shutil.copy(HERE / "zensical.toml", work)
        command = [sys.executable, "-m", "zensical", "build", "--strict"]
        built = subprocess.run(
            command, cwd=work, env={**os.environ, "PYTHONPATH": str(ROOT)}, text=True, capture_output=True, check=False
        )
        if built.returncode:
            print(built.stdout, built.stderr, file=sys.stderr)
            return 1
        shutil.rmtree(SITE, ignore_errors=True)
        shutil.copytree(work / "site", SITE, ignore=shutil.ignore_patterns("sitemap.xml"))  # whose host nobody knows
        build_packages(work, CLIENTS)
    draw_tilesets(BUILT_PICTURES)
    return 0


def draw_tilesets(target: Path) -> None:
    """Draw the tile sets of the package, which takes a service some seconds."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    for loaded, theme in product(load_catalogue(None), THEMES):
        tiles = [draw_rotations(tile, THEMES[theme]) for tile in loaded.tileset.tiles]
        (target / picture_name(loaded, theme)).write_text(tiles_svg(tiles, THEMES[theme]), encoding="utf-8")


def write_sources(target: Path) -> None:
    """Write everything that the generator reads: pages, pictures and assets."""
    shutil.copytree(ROOT / "docs", target)
    for page in target.glob("*.md"):
        page.write_text(adapt(page.read_text(encoding="utf-8")), encoding="utf-8")
    schemas = ROOT / "schemas"
    openapi = json.loads((schemas / "openapi.json").read_bytes())
    description = openapi["info"]["description"].replace("](/", "](../")
    viewer = VIEWER.format(description=description, operations="\n".join(operation_rows(openapi)))
    (target / "api.md").write_text(viewer, encoding="utf-8")
    messages = render_messages(json.loads((schemas / "asyncapi.json").read_bytes()))
    (target / "socket.md").write_text(messages, encoding="utf-8")
    (target / "examples.md").write_text(examples_page(), encoding="utf-8")
    for made in PAGES:
        (target / f"{made.name}.md").write_text("\n".join(made.lines()), encoding="utf-8")
    shutil.copytree(HERE / "assets", target / "assets")


def operation_rows(openapi: Mapping[str, Any]) -> Iterator[str]:
    """Yield a row for each operation, with its address in the viewer, so that search finds it."""
    for path, item in openapi["paths"].items():
        for method, operation in item.items():
            if "operationId" in operation:
                address = f"#/{operation['tags'][0]}/{operation['operationId']}".replace(" ", "%20")
                yield f"| [`{method.upper()} {path}`](api/{address}) | {operation['summary']} |"


def examples_page() -> str:
    """Return what the examples' README says, and each program that is one file."""
    folder = ROOT / "examples"
    page = (folder / "README.md").read_text(encoding="utf-8").replace("](../docs/", "](")
    for program in (*sorted(folder.glob("[!_]*.*")), folder / "bots" / "magpie" / "south_seas_magpie.py"):
        if program.suffix in (".py", ".sh", ".mts"):
            page += f"\n## {program.name}\n\n```{program.suffix[1:]}\n{program.read_text(encoding='utf-8')}```\n"
    return adapt(page)


def adapt(text: str) -> str:
    r"""Return a page of `docs/` as the generator takes it.

    >>> adapt("[HTTP](../schemas/openapi.json), [settings](../service/settings.py), [it](../README.md)")
    '[HTTP](api.md), [settings](settings.md), it'
    >>> adapt("[the bot](../examples/text_bot.py), [in Discord](../examples/README.md#in-discord)")
    '[the bot](examples.md#text_botpy), [in Discord](examples.md#in-discord)'
    >>> adapt("```python bot.py"), adapt("```sh no-run: it takes minutes")
    ('```python title="bot.py"', '```sh')
    >>> adapt("```sh tab\ncurl /\n```\n")
    '=== "curl"\n\n    ```sh\n    curl /\n    ```\n\n'
    """
    text = _TAB.sub(lambda block: _tab(block[1], block[2]), text)
    for source, name in MADE_FROM.items():
        text = text.replace(f"](../{source}", f"]({name}.md")
    text = _EXAMPLE_LINK.sub(r"](examples.md#\1\2)", text)
    text = _OUTSIDE_LINK.sub(r"\1", text)
    return _FENCE.sub(lambda fence: f'{fence[1]} title="{fence[2]}"' if _FILE.fullmatch(fence[2]) else fence[1], text)


def _tab(language: str, code: str) -> str:
    lines = [f"```{language}", *code.splitlines(), "```"]
    return "\n".join([f'=== "{_TAB_LABELS[language]}"', "", *(f"    {line}".rstrip() for line in lines), "", ""])


if __name__ == "__main__":
    sys.exit(main())

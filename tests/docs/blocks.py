"""The blocks of code of the pages in `docs/`, and how they are held to be true.

What stands after the three backticks decides, and code hosts show only its first word:

    ```sh                   typed into the page's shell, the page's blocks one after another, from top to bottom
    ```python               run there as a program of its own, at its place among them
    ```python bot.py        only written to this file, for a later block; so in any language
    ```json                 must be JSON
    ```json Problem         must be JSON that the schema of this name, of HTTP or the WebSocket, takes
    ```sh no-run: WHY       only shown, in any language; WHY is for whoever reads the source

All else is only shown. A page's shell begins in an empty folder with a `.venv`, stops at the first command that fails,
and has a service of its own: http://127.0.0.1:8080 stands for it, wherever it listens.
"""

import json
import re
import shlex
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from jsonschema_rs import Draft202012Validator

DOCS = Path(__file__).parents[2] / "docs"

EXAMPLE_HOST = "127.0.0.1:8080"

RUN = {"sh", "python"}

_BLOCK = re.compile(r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<code>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"[\w-]+\.\w+")


class Block(NamedTuple):
    """A block of code: where it stands, and what it is."""

    page: str
    line: int
    language: str
    about: str
    """What stands after the language."""
    code: str

    @property
    def shown_only(self) -> bool:
        """Whether it is marked as not to be run."""
        return self.about.startswith("no-run")

    @property
    def file(self) -> str | None:
        """The file that it is written to."""
        return self.about if _FILE.fullmatch(self.about) else None

    @property
    def runs(self) -> bool:
        """Whether it is part of the page's script."""
        return not self.shown_only and (self.file is not None or self.language in RUN)


def pages() -> list[str]:
    """The names of all pages."""
    return sorted(path.stem for path in DOCS.glob("*.md"))


def blocks(page: str) -> list[Block]:
    """The blocks of a page, from top to bottom."""
    return [*_blocks(page, (DOCS / f"{page}.md").read_text(encoding="utf-8"))]


def _blocks(page: str, text: str) -> Iterator[Block]:
    for found in _BLOCK.finditer(text):
        language, _, about = found["info"].strip().partition(" ")
        code = re.sub(f"^{found['indent']}", "", found["code"], flags=re.MULTILINE)
        yield Block(page, text.count("\n", 0, found.start()) + 1, language, about.strip(), code)


def script(run: Iterable[Block], host: str) -> str:
    """What the shell of a page is given; says on standard error which block it was that failed."""
    lines = [
        "set -eE -o pipefail",
        """trap 'echo "$block failed" >&2' ERR""",
        """trap 'test -z "$(jobs -p)" || kill $(jobs -p) 2>/dev/null' EXIT""",
    ]
    for block in run:
        lines.append(f"block={shlex.quote(f'docs/{block.page}.md, line {block.line},')}")
        code = block.code.replace(EXAMPLE_HOST, host)
        if block.file is not None:
            lines.append(_written(block.file, code))
        elif block.language == "python":
            lines.append(f"{_written('block.py', code)}\n.venv/bin/python block.py")
        else:
            lines.append(code)
    return "\n".join(lines)


def _written(file: str, code: str) -> str:
    return f"cat > {file} <<'END-OF-BLOCK'\n{code}END-OF-BLOCK"


def check_json(block: Block) -> None:
    """Fail unless the block is JSON, of the schema that it names if it names one."""
    value = json.loads(block.code)
    if block.about:
        document = next(one for one in _documents() if block.about in one["components"]["schemas"])
        schema = {"$ref": f"#/components/schemas/{block.about}", "components": document["components"]}
        Draft202012Validator(schema).validate(value)


def _documents() -> Iterator[Any]:
    for name in ("openapi.json", "asyncapi.json"):
        yield json.loads(resources.files("schemas").joinpath(name).read_bytes())

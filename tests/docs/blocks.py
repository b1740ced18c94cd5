"""The code blocks of the pages in `docs/`, and how tests check them.

The text after the three backticks decides; code hosts show only its first word:

    ```sh                   run in the page's shell; the blocks of a page run from top to bottom
    ```python               run as a program at its position among them
    ```python bot.py        written to this file, for a later block; works for any language
    ```json                 must be JSON
    ```json Problem         must match this schema of the OpenAPI or AsyncAPI document
    ```sh no-run: WHY       not run; WHY is for readers of the source; works for any language

All other blocks are not checked. With `tab` after the language, consecutive blocks say the same in several languages.
A page's shell is the plain `sh` of POSIX. It starts in an empty directory with a `.venv`, stops at the first command
that fails, and has a service of its own: its address replaces http://127.0.0.1:8080.

A parsed HTML page.
"""

import json
import re
import shlex
from collections.abc import Iterable, Iterator
from functools import cached_property
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from jsonschema_rs import Draft202012Validator

from schemas.problems import PROBLEM_TYPES
from tools.site.pages import PAGES

DOCS = Path(__file__).parents[2] / "docs"

EXAMPLE_HOST = "127.0.0.1:8080"

RUN_LANGUAGES = {"sh", "python"}

_BLOCK = re.compile(r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<code>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!-- \w+ -->")
_FILE = re.compile(r"[\w-]+\.\w+")


class Block(NamedTuple):
    """A code block and its position."""

    page: str
    line: int
    language: str
    annotation: str
    """The text after the language."""
    code: str

    @property
    def is_not_run(self) -> bool:
        """Whether it is marked as not to be run."""
        return self.annotation.startswith("no-run")

    @property
    def file(self) -> str | None:
        """The file that it is written to."""
        return self.annotation if _FILE.fullmatch(self.annotation) else None

    @property
    def is_run(self) -> bool:
        """Whether it is part of the page's script."""
        return not self.is_not_run and (self.file is not None or self.language in RUN_LANGUAGES)


def pages() -> list[str]:
    """Return the names of all pages."""
    return sorted(path.stem for path in DOCS.glob("*.md"))


def read_page(page: str) -> str:
    """Return the text of a page of the site on one line, as readers see it."""
    made = next(("\n".join(one.lines()) for one in PAGES if one.name == page), None)
    return " ".join((made or _COMMENT.sub("", (DOCS / f"{page}.md").read_text(encoding="utf-8"))).split())


def blocks(page: str) -> list[Block]:
    """Return the blocks of a page, from top to bottom."""
    return [*_parse_blocks(page, (DOCS / f"{page}.md").read_text(encoding="utf-8"))]


def _parse_blocks(page: str, text: str) -> Iterator[Block]:
    for match in _BLOCK.finditer(text):
        language, _, annotation = match["info"].strip().partition(" ")
        code = re.sub(f"^{match['indent']}", "", match["code"], flags=re.MULTILINE)
        yield Block(page, text.count("\n", 0, match.start()) + 1, language, annotation.strip(), code)


def make_script(run: Iterable[Block], host: str) -> str:
    """Return the shell script of some blocks; it reports a failing block on standard error."""
    lines = [
        "set -e",
        """trap 'status=$?; test $status = 0 || echo "$block failed" >&2; trap "" TERM; kill 0; exit $status' EXIT""",
    ]
    for block in run:
        lines.append(f"block={shlex.quote(f'docs/{block.page}.md, line {block.line},')}")
        code = block.code.replace(EXAMPLE_HOST, host)
        if block.file is not None:
            lines.append(_write_file(block.file, code))
        elif block.language == "python":
            lines.append(f"{_write_file('block.py', code)}\n.venv/bin/python block.py")
        else:
            lines.append(code)
    return "\n".join(lines)


def _write_file(file: str, code: str) -> str:
    return f"cat > {file} <<'END-OF-BLOCK'\n{code}END-OF-BLOCK"


def check_json(block: Block) -> None:
    """Fail unless the block is JSON, and matches its schema if it names one."""
    value = json.loads(block.code)
    if block.annotation:
        document = next(one for one in _load_documents() if block.annotation in one["components"]["schemas"])
        schema = {"$ref": f"#/components/schemas/{block.annotation}", "components": document["components"]}
        Draft202012Validator(schema).validate(value)
    for shown in (value, value.get("problem")) if isinstance(value, dict) else ():
        if shown is not None and "code" in shown:
            kind = PROBLEM_TYPES[shown["code"]]
            assert (shown["status"], shown["title"]) == kind, block


def _load_documents() -> Iterator[Any]:
    for name in ("openapi.json", "asyncapi.json"):
        yield json.loads(resources.files("schemas").joinpath(name).read_bytes())


class Element(NamedTuple):
    """A start tag."""

    tag: str
    attributes: dict[str, str]


class ParsedPage(HTMLParser):
    """The elements of a page: anchors, links and loaded files."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect an element."""
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}))

    @cached_property
    def anchors(self) -> list[str]:
        """Return every id, in order."""
        return [one.attributes["id"] for one in self.elements if "id" in one.attributes]

    @property
    def links(self) -> list[str]:
        """Return the targets of all links."""
        return [one.attributes["href"] for one in self.elements if one.tag == "a" and "href" in one.attributes]

    @property
    def loaded(self) -> list[str]:
        """Return the URLs that a browser loads with the page."""
        return [
            address
            for one in self.elements
            for name, address in one.attributes.items()
            if name in ("src", "href") and one.tag != "a"
        ]

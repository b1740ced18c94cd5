"""The tables of generated clients in docs/clients.md: `python -m tests.generators.table` writes them anew."""

import json
import re
from collections.abc import Iterator

from tests.docs.sections import with_section
from tests.generators.clients import CLIENTS, GeneratedClient
from tests.generators.toolchain import HERE, OPENAPI
from tests.tools import ROOT

PAGE = ROOT / "docs" / "clients.md"


def versions() -> dict[str, str]:
    """Return the locked version of every package of the generators."""
    lock = (ROOT / "requirements" / "generators.lock").read_text()
    packages: dict[str, dict[str, str]] = json.loads((HERE / "package-lock.json").read_bytes())["packages"]
    on_npm = {path.removeprefix("node_modules/"): package.get("version", "") for path, package in packages.items()}
    return dict(re.findall(r"^([\w-]+)==([\w.]+)", lock, re.MULTILINE)) | on_npm


def table() -> str:
    """Return the table in Markdown."""
    head = "| generator | version | generates | compiles | plays | set |\n|---|---|---|---|---|---|\n"
    return head + "".join(f"{row}\n" for row in _rows())


def _rows() -> Iterator[str]:
    locked = versions()
    for client in CLIENTS:
        name = client.generator.removesuffix("-cli")
        target = f" `{client.target}`" if client.target else ""
        played = "yes | yes" if client.program else f"skipped | skipped: {client.unplayed}"
        yield f"| {name}{target} | {locked[client.generator]} | yes | {played} | {_note(client)} |"


def _note(client: GeneratedClient) -> str:
    notes = [*client.options.split(","), " ".join(client.flags)]
    return " ".join(f"`{note}`" for note in notes if note)


def methods() -> str:
    """Return the table of all requests that a client sends to games, in Markdown."""
    return "| request | method |\n|---|---|\n" + "".join(
        f"| `{method.upper()} {path}` | `{api_name(operation['tags'][0])}.{operation['operationId']}` |\n"
        for path, item in json.loads(OPENAPI.read_bytes())["paths"].items()
        for method, operation in item.items()
        if operation["tags"] != ["service"]
    )


def api_name(tag: str) -> str:
    """Return the class that openapi-generator makes of a tag."""
    return "".join(word[0].upper() + word[1:] for word in tag.split()) + "Api"


def page(text: str) -> str:
    """Return the page with the current tables."""
    return with_section(with_section(text, "generated clients", table()), "generated methods", methods())


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))

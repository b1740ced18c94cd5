"""Write or check the API documents: `python -m tools.openapi.generate DIR [--check]`."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
import msgspec

from tools.openapi.asyncapi import make_asyncapi
from tools.openapi.document import make_openapi

DOCUMENTS: Mapping[str, Callable[[], dict[str, Any]]] = {"openapi.json": make_openapi, "asyncapi.json": make_asyncapi}


def format_document(document: dict[str, Any]) -> bytes:
    """Encode a document as indented JSON, its members in the order of their creation."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


@click.command()
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--check", is_flag=True, help="Write nothing; fail if a file is not up to date.")
def main(directory: Path, *, check: bool) -> None:
    """Write openapi.json and asyncapi.json into DIRECTORY."""
    stale = []
    for name, make in DOCUMENTS.items():
        path, text = directory / name, format_document(make())
        if not check:
            path.write_bytes(text)
        elif not path.exists() or path.read_bytes() != text:
            stale.append(name)
    if stale:
        click.echo(f"{' and '.join(stale)}: not up to date; run `make schemas`", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()

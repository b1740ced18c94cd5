"""The README's figures: `python -m benchmarks.readme [FILE]` writes one result into its place there.

The README has two places, one for the suite and one for the peers, each between two marks of which the first names the
result. A result of the suite is shown as table and picture, one of the peers as tables.
"""

import argparse
import re
from pathlib import Path

from benchmarks.draw import picture
from benchmarks.peers import table as peers
from benchmarks.results import FOLDER, latest, load_result
from benchmarks.table import lines

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PICTURE = ROOT / "docs" / "pictures" / "benchmarks.svg"
MARKED = re.compile(r"<!-- benchmarks of the (\w+): (.+?) -->\n.*?<!-- end of benchmarks -->", re.DOTALL)
NONE = "none"
"""What the first mark names where nothing is shown yet."""


def places(text: str) -> dict[str, str]:
    """The file that each place in the README's text names, by the kind of its result."""
    return {found[1]: found[2] for found in MARKED.finditer(text)}


def shown(text: str, kind: str) -> str:
    """What stands in the place for results of this kind, marks included; raises KeyError where there is none."""
    return {found[1]: found[0] for found in MARKED.finditer(text)}[kind]


def block(kind: str, name: str, folder: Path = FOLDER) -> str:
    """What is to stand there for the result in the file `name`."""
    parts = [f"<!-- benchmarks of the {kind}: {name} -->"]
    if name != NONE:
        result = load_result(folder / name)
        if kind == "suite":
            parts += [f"![The figures of the table below as bars]({PICTURE.relative_to(ROOT)})", ""]
            parts += lines(result, folded=True)
        else:
            parts += peers.lines(result)
    return "\n".join([*parts, "<!-- end of benchmarks -->"])


def write(file: Path) -> None:
    """Put the result into the README and draw the picture; raises KeyError where the README has no place for it."""
    result = load_result(file)
    text = README.read_text(encoding="utf-8")
    text = text.replace(shown(text, result.kind), block(result.kind, file.name, file.parent))
    README.write_text(text, encoding="utf-8")
    if result.kind == "suite":
        PICTURE.write_text(picture(result), encoding="utf-8")


def main() -> None:
    """Write the result that was named, or the last."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.readme", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="a result in benchmarks/results (the last of the suite)")
    write(parser.parse_args().file or latest())


if __name__ == "__main__":
    main()

"""Write what the pages of `docs/` have from the code: `python -m tools.docs [--check]`.

It is between two comments, which no reader sees: `<!-- NAME -->...<!-- end -->`, a figure within a sentence or a part
of lines of its own. Markdown takes a line that begins with a comment for HTML, so a figure begins none.
`--check` writes nothing, and fails if a page has something else.
"""

import re
import sys
from pathlib import Path

from tools.docs.figures import FIGURES, PARTS

DOCS = Path(__file__).parents[2] / "docs"

_MARKED = re.compile(r"<!-- (\w+) -->.*?<!-- end -->", re.DOTALL)


def fill_in(text: str) -> str:
    """Return a page with the figures and parts of the code. Raise KeyError for an unknown name."""
    return _MARKED.sub(lambda marked: f"<!-- {marked[1]} -->{_value(marked[1])}<!-- end -->", text)


def _value(name: str) -> str:
    return "\n".join(["", *PARTS[name](), ""]) if name in PARTS else str(FIGURES[name])


def main() -> int:
    """Run the command; return the exit status."""
    stale = []
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        if (filled := fill_in(text)) != text:
            stale.append(page.name)
            if "--check" not in sys.argv[1:]:
                page.write_text(filled, encoding="utf-8")
    if "--check" in sys.argv[1:] and stale:
        print(f"{', '.join(stale)}: not what the code says; run `make schemas`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

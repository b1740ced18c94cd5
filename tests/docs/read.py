"""A page of HTML, taken apart."""

from html.parser import HTMLParser
from typing import NamedTuple


class Element(NamedTuple):
    """A start tag."""

    tag: str
    attributes: dict[str, str]


class Read(HTMLParser):
    """What a page has that can be linked to, and what it links to or loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect an element."""
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}))

    @property
    def anchors(self) -> list[str]:
        """Every id, in order."""
        return [one.attributes["id"] for one in self.elements if "id" in one.attributes]

    @property
    def links(self) -> list[str]:
        """Where one can go from here."""
        return [one.attributes["href"] for one in self.elements if one.tag == "a"]

    @property
    def loaded(self) -> list[str]:
        """What a browser fetches with the page."""
        return [
            address
            for one in self.elements
            for name, address in one.attributes.items()
            if name in ("src", "href") and one.tag != "a"
        ]

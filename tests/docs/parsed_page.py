"""A parsed HTML page."""

from functools import cached_property
from html.parser import HTMLParser
from typing import NamedTuple


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

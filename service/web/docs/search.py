"""The search index: the sections of the pages as plain text. The browser searches them; see `static/docs.js`."""

from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import Any

import msgspec

__all__ = ["Section", "operation_sections", "page_sections"]

HEADINGS = ("h1", "h2", "h3")


class Section(msgspec.Struct):
    """What one search result leads to."""

    url: str
    page: str
    title: str
    text: str


def page_sections(url: str, page: str, body: str) -> list[Section]:
    """Split a page at its headings and return the sections that are not empty."""
    splitter = _Splitter(url, page)
    splitter.feed(body)
    return [
        Section(section.url, section.page, _squeeze(section.title), _squeeze(section.text))
        for section in splitter.sections
        if section.title
    ]


def operation_sections(url: str, openapi: Mapping[str, Any]) -> Iterator[Section]:
    """Yield a section for each operation of the OpenAPI document, at its address in the viewer."""
    for path, item in openapi["paths"].items():
        for method, operation in item.items():
            if "operationId" in operation:
                title = f"{method.upper()} {path}"
                text = f"{operation.get('summary', '')} {operation.get('description', '')}"
                yield Section(f"{url}#/{operation['tags'][0]}/{operation['operationId']}", "HTTP API", title, text)


class _Splitter(HTMLParser):
    """Collects the text of a page by section."""

    def __init__(self, url: str, page: str) -> None:
        super().__init__()
        self.sections: list[Section] = []
        self._url, self._page = url, page
        self._in_heading = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Start a section at a heading."""
        if tag in HEADINGS:
            anchor = dict(attrs).get("id")
            url = f"{self._url}#{anchor}" if anchor and tag != "h1" else self._url
            self.sections.append(Section(url, self._page, "", ""))
            self._in_heading = True

    def handle_endtag(self, tag: str) -> None:
        """End a heading, and separate the words of neighbouring blocks."""
        if tag in HEADINGS:
            self._in_heading = False
        elif self.sections and tag not in ("a", "code", "em", "strong", "span"):
            self.sections[-1].text += " "

    def handle_data(self, data: str) -> None:
        """Add text to the section's title or text."""
        if not self.sections:
            return
        if self._in_heading:
            self.sections[-1].title += data
        else:
            self.sections[-1].text += data


def _squeeze(text: str) -> str:
    return " ".join(text.split())

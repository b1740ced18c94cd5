"""Markdown to HTML: anchors at headings and rules, links between pages, tables and code that scroll by themselves.

A page is written to be read where the sources are, too: its links lead to files. Here they lead to pages.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from service.web.docs.assets import kept
from service.web.docs.contents import HTTP, SOCKET, path_of

__all__ = ["Heading", "Rendered", "fragment", "render", "slug"]

RULE = re.compile(r"R[1-9](?:\.[1-9]\d?)?")

_MENTIONED = re.compile(r"\bR[1-9]\.[1-9]\d?\b")
_FILE = re.compile(r"(?P<name>[a-z0-9-]+)\.md(?P<anchor>#.*)?")

DOCUMENTS = {"../schemas/openapi.json": HTTP, "../schemas/asyncapi.json": SOCKET}
"""The generated documents, and the pages that show them."""


class Heading(NamedTuple):
    """A heading below the page's title."""

    level: int
    anchor: str
    text: str


class Rendered(NamedTuple):
    """A page's inside, and what stands in its table of contents."""

    title: str
    body: str
    headings: tuple[Heading, ...]


def _fence(_renderer: RendererHTML, tokens: Sequence[Token], index: int, *_: object) -> str:
    """A block of code; it can be scrolled with the keyboard, and a file says its name."""
    language, _space, rest = tokens[index].info.partition(" ")
    name = rest.split(" ")[0] if re.match(r"[\w-]+\.\w+( |$)", rest) else ""
    caption = f"<figcaption>{escape(name)}</figcaption>" if name else ""
    code = f'<pre tabindex="0"><code class="language-{escape(language)}">{escape(tokens[index].content)}</code></pre>'
    return f"<figure>{caption}{code}</figure>\n"


_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")
_PARSER.add_render_rule("fence", _fence)
# A table is in a box that scrolls where the screen is narrower.
_PARSER.add_render_rule("table_open", lambda *_: '<div class="table" tabindex="0"><table>\n')
_PARSER.add_render_rule("table_close", lambda *_: "</table></div>\n")


def render(text: str) -> Rendered:
    """A page; its first heading is its title."""
    tokens = _PARSER.parse(text)
    title, *below = _anchored(tokens)
    return Rendered(title.text, _html(tokens), tuple(below))


def fragment(text: str) -> str:
    """A description out of a document: paragraphs, lists and tables."""
    return _html(_PARSER.parse(text))


def _html(tokens: list[Token]) -> str:
    _name_rules(tokens)
    for token in tokens:
        if alignment := token.attrs.pop("style", None):  # the pages' policy lets no element bring its style
            token.attrSet("class", str(alignment).partition(":")[2])
        if token.children is not None:
            token.children = [*_linked(token.children)]
    return str(_PARSER.renderer.render(tokens, _PARSER.options, {}))


def slug(text: str) -> str:
    """The anchor of a heading, as code hosts make it.

    >>> slug("What `since` means, and why"), slug("R5 Evaluation")
    ('what-since-means-and-why', 'R5')
    """
    if found := RULE.match(text):
        return found[0]
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def _anchored(tokens: Iterable[Token]) -> Iterator[Heading]:
    """Give every heading an id that no other one has."""
    seen: Counter[str] = Counter()
    opened: Token | None = None
    for token in tokens:
        if token.type == "heading_open":
            opened = token
        elif opened is not None:
            text = _plain(token)
            anchor = slug(text)
            seen[anchor] += 1
            unique = anchor if seen[anchor] == 1 else f"{anchor}-{seen[anchor] - 1}"
            opened.attrSet("id", unique)
            yield Heading(int(opened.tag[1]), unique, text)
            opened = None


def _plain(token: Token) -> str:
    return "".join(child.content for child in token.children or ())


def _name_rules(tokens: Sequence[Token]) -> None:
    """An item or paragraph that begins with a rule's id in bold has that id, and the rule links to itself."""
    for index, token in enumerate(tokens):
        match token.children:
            case [Token(content=""), Token(type="strong_open"), Token(content=rule), *_] if RULE.fullmatch(rule):
                item = tokens[index - 2]
                holder = item if item.type == "list_item_open" else tokens[index - 1]
                holder.attrs = {"id": rule, "class": "rule"}
                token.children[2:3] = _link(f"#{rule}", rule)


def _linked(children: Iterable[Token]) -> Iterator[Token]:
    """Turn links to files into links to pages, and mentioned rules into links; what has no page loses its link."""
    linked: list[bool] = []
    for token in children:
        match token.type:
            case "link_open":
                target = _target(str(token.attrGet("href")))
                linked.append(target is not None)
                if target is not None:
                    token.attrSet("href", target)
                    yield token
            case "link_close":
                if linked.pop():
                    yield token
            case "image":
                token.attrSet("src", kept(str(token.attrGet("src"))))
                yield token
            case "text" if not any(linked):
                yield from _mentions(token.content)
            case _:
                yield token


def _target(href: str) -> str | None:
    """Where a link leads; None for a file of the sources that has no page."""
    path, _, anchor = href.partition("#")
    if path in DOCUMENTS:
        return path_of(DOCUMENTS[path]) + (f"#{anchor}" if anchor else "")
    if found := _FILE.fullmatch(href):
        return path_of(found["name"]) + (found["anchor"] or "")
    return None if href.startswith("../") else href


def _mentions(text: str) -> Iterator[Token]:
    """A text whose rules are links."""
    end = 0
    for found in _MENTIONED.finditer(text):
        yield _text(text[end : found.start()])
        yield from _link(f"{path_of('rules')}#{found[0]}", found[0])
        end = found.end()
    yield _text(text[end:])


def _link(href: str, text: str) -> tuple[Token, ...]:
    return Token("link_open", "a", 1, attrs={"href": href}), _text(text), Token("link_close", "a", -1)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)

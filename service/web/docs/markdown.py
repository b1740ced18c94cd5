"""Markdown to HTML: anchors at headings and rules, links between pages, highlighted code, tables that scroll.

The sources can also be read on a code host: their links lead to files. Here they lead to pages.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from service.web.docs.assets import static_url
from service.web.docs.contents import HTTP, MESSAGES, page_path
from service.web.docs.highlighting import highlight_code

__all__ = ["Heading", "RenderedPage", "heading_anchor", "render_fragment", "render_page"]

RULE = re.compile(r"R[1-9](?:\.[1-9]\d?)?")

_RULE_REFERENCE = re.compile(r"\bR[1-9]\.[1-9]\d?\b")
_COMMENT = re.compile(r"^<!-- .* -->\n", re.MULTILINE)
"""What surrounds a generated section."""
_FILE = re.compile(r"(?P<name>[a-z0-9-]+)\.md(?P<anchor>#.*)?")

TAB_LABELS = {"sh": "curl", "python": "Python", "ts": "TypeScript"}
"""The labels of blocks in several languages."""

DOCUMENTS = {"../schemas/openapi.json": HTTP, "../schemas/asyncapi.json": MESSAGES}
"""The generated documents, and the pages that show them."""


class Heading(NamedTuple):
    """A heading below the page's title."""

    level: int
    anchor: str
    text: str


class RenderedPage(NamedTuple):
    """The content of a page, and the headings for its table of contents."""

    title: str
    body: str
    headings: tuple[Heading, ...]


def _render_fence(_renderer: RendererHTML, tokens: Sequence[Token], index: int, *_: object) -> str:
    """Render a block of code: with its file name, if it has one, and scrollable with the keyboard.

    Consecutive blocks marked `tab` say the same in several languages, of which a script shows one.
    """
    language, _space, rest = tokens[index].info.partition(" ")
    name = rest.split(" ")[0] if re.match(r"[\w-]+\.\w+( |$)", rest) else ""
    tab = TAB_LABELS[language] if _is_tab(tokens[index]) else ""
    caption = f"<figcaption>{escape(name or tab)}</figcaption>" if name or tab else ""
    code = highlight_code(tokens[index].content, language)
    return (
        ('<div class="tabs">\n' if tab and not _is_tab(tokens[index - 1]) else "")
        + (f'<figure data-tab="{tab}">' if tab else "<figure>")
        + f'{caption}<pre tabindex="0"><code class="language-{escape(language)}">{code}</code></pre></figure>\n'
        + ("</div>\n" if tab and not _is_tab(*tokens[index + 1 : index + 2]) else "")
    )


def _is_tab(token: Token | None = None) -> bool:
    return token is not None and token.type == "fence" and token.info.split(" ")[1:2] == ["tab"]


_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")
_PARSER.add_render_rule("fence", _render_fence)
# A wide table scrolls in a box of its own, not with the page.
_PARSER.add_render_rule("table_open", lambda *_: '<div class="table" tabindex="0"><table>\n')
_PARSER.add_render_rule("table_close", lambda *_: "</table></div>\n")


def render_page(text: str) -> RenderedPage:
    """Render a page; its first heading is its title."""
    tokens = _PARSER.parse(_COMMENT.sub("", text))
    title, *headings = _anchor_headings(tokens)
    return RenderedPage(title.text, _to_html(tokens), tuple(headings))


def render_fragment(text: str) -> str:
    """Render a description from an API document: paragraphs, lists and tables."""
    return _to_html(_PARSER.parse(text))


def _to_html(tokens: list[Token]) -> str:
    _anchor_rules(tokens)
    for token in tokens:
        # The Content-Security-Policy forbids style attributes, so alignment becomes a class.
        if alignment := token.attrs.pop("style", None):
            token.attrSet("class", str(alignment).partition(":")[2])
        if token.children is not None:
            token.children = [*_link_pages(token.children)]
    return str(_PARSER.renderer.render(tokens, _PARSER.options, {}))


def heading_anchor(text: str) -> str:
    """Return the anchor of a heading, as code hosts make it.

    >>> heading_anchor("What `since` means, and why"), heading_anchor("R5 Evaluation")
    ('what-since-means-and-why', 'R5')
    """
    if rule := RULE.match(text):
        return rule[0]
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def _anchor_headings(tokens: Iterable[Token]) -> Iterator[Heading]:
    """Give each heading a unique id."""
    seen: Counter[str] = Counter()
    opened: Token | None = None
    for token in tokens:
        if token.type == "heading_open":
            opened = token
        elif opened is not None:
            text = _plain_text(token)
            anchor = heading_anchor(text)
            seen[anchor] += 1
            unique = anchor if seen[anchor] == 1 else f"{anchor}-{seen[anchor] - 1}"
            opened.attrSet("id", unique)
            yield Heading(int(opened.tag[1]), unique, text)
            opened = None


def _plain_text(token: Token) -> str:
    return "".join(child.content for child in token.children or ())


def _anchor_rules(tokens: Sequence[Token]) -> None:
    """Give an item or paragraph that begins with a rule's id in bold that id, and a link to itself."""
    for index, token in enumerate(tokens):
        match token.children:
            case [Token(content=""), Token(type="strong_open"), Token(content=rule), *_] if RULE.fullmatch(rule):
                item = tokens[index - 2]
                holder = item if item.type == "list_item_open" else tokens[index - 1]
                holder.attrs = {"id": rule, "class": "rule"}
                token.children[2:3] = _link(f"#{rule}", rule)


def _link_pages(children: Iterable[Token]) -> Iterator[Token]:
    """Turn links to files into links to pages and rule ids into links; drop links to files without a page."""
    open_links: list[bool] = []
    for token in children:
        match token.type:
            case "link_open":
                target = _link_target(str(token.attrGet("href")))
                open_links.append(target is not None)
                if target is not None:
                    token.attrSet("href", target)
                    yield token
            case "link_close":
                if open_links.pop():
                    yield token
            case "image":
                token.attrSet("src", static_url(str(token.attrGet("src"))))
                yield token
            case "text" if not any(open_links):
                yield from _link_rules(token.content)
            case _:
                yield token


def _link_target(href: str) -> str | None:
    """Return where a link leads on the site, or None for a file that has no page."""
    path, _, anchor = href.partition("#")
    if path in DOCUMENTS:
        return page_path(DOCUMENTS[path]) + (f"#{anchor}" if anchor else "")
    if file := _FILE.fullmatch(href):
        return page_path(file["name"]) + (file["anchor"] or "")
    return None if href.startswith("../") else href


def _link_rules(text: str) -> Iterator[Token]:
    """Yield a text with each rule id as a link."""
    end = 0
    for rule in _RULE_REFERENCE.finditer(text):
        yield _text(text[end : rule.start()])
        yield from _link(f"{page_path('rules')}#{rule[0]}", rule[0])
        end = rule.end()
    yield _text(text[end:])


def _link(href: str, text: str) -> tuple[Token, ...]:
    return Token("link_open", "a", 1, attrs={"href": href}), _text(text), Token("link_close", "a", -1)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)

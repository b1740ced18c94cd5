"""The layout of every page: head, header with search, navigation and table of contents."""

from collections.abc import Iterable, Mapping
from html import escape

from service.web.docs.assets import static_url
from service.web.docs.contents import CONTENTS, page_path
from service.web.docs.markdown import Heading, RenderedPage

__all__ = ["SEARCH_PATH", "render_layout"]

SEARCH_PATH = "/docs/search.json"


def render_layout(name: str, page: RenderedPage, head: str = "") -> bytes:
    """Return a whole page as HTML; `head` is added to its head."""
    full_title = page.title if page.title == "South Seas" else f"{page.title} · South Seas"
    title, end, text = page.body.partition("</h1>\n")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(full_title)}</title>
<link rel="icon" type="image/svg+xml" href="{static_url("icon.svg")}">
<link rel="stylesheet" href="{static_url("docs.css")}">
<script type="module" src="{static_url("docs.js")}"></script>
{head}</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header>
<a class="home" href="{page_path("index")}">South Seas</a>
<search hidden data-index="{SEARCH_PATH}" data-library="{static_url("minisearch/minisearch.js")}">
<input type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false">
<div class="results" role="status" hidden></div>
</search>
<span><a class="menu" href="#contents">All pages</a> <a href="/">Play</a></span>
</header>
<div class="columns">
<main id="main">
{title}{end}{_on_this_page(page.headings)}<div class="text">
{text}</div>
</main>
<nav class="contents" id="contents" aria-label="All pages">
{_contents(name)}</nav>
</div>
</body>
</html>
""".encode()


def _contents(current: str) -> str:
    return "".join(
        f"<h2>{escape(chapter)}</h2>\n<ul>\n{_links(pages, current)}</ul>\n" for chapter, pages in CONTENTS.items()
    )


def _links(pages: Mapping[str, str], current: str) -> str:
    return "".join(
        f'<li><a href="{page_path(name)}"{" aria-current=page" if name == current else ""}>{escape(title)}</a></li>\n'
        for name, title in pages.items()
    )


def _on_this_page(headings: Iterable[Heading]) -> str:
    """Return the page's own table of contents, or nothing for a page with fewer than two headings."""
    items = [
        f'<li class="level-{heading.level}"><a href="#{heading.anchor}">{escape(heading.text)}</a></li>\n'
        for heading in headings
        if heading.level <= 3
    ]
    if len(items) < 2:
        return ""
    return f'<nav class="on-this-page" aria-label="On this page">\n<ul>\n{"".join(items)}</ul>\n</nav>\n'

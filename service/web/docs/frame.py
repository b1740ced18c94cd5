"""What stands around every page: the head, the navigation, and what is on the page."""

from collections.abc import Iterable, Mapping
from html import escape

from service.web.docs.assets import kept
from service.web.docs.contents import CONTENTS, path_of
from service.web.docs.markdown import Heading, Rendered

__all__ = ["framed"]


def framed(name: str, page: Rendered, head: str = "") -> bytes:
    """A whole page."""
    name_of_page = page.title if page.title == "South Seas" else f"{page.title} · South Seas"
    title, end, text = page.body.partition("</h1>\n")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(name_of_page)}</title>
<link rel="icon" type="image/svg+xml" href="{kept("icon.svg")}">
<link rel="stylesheet" href="{kept("docs.css")}">
{head}</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header>
<a class="home" href="{path_of("index")}">South Seas</a>
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


def _contents(here: str) -> str:
    return "".join(
        f"<h2>{escape(chapter)}</h2>\n<ul>\n{_links(pages, here)}</ul>\n" for chapter, pages in CONTENTS.items()
    )


def _links(pages: Mapping[str, str], here: str) -> str:
    return "".join(
        f'<li><a href="{path_of(name)}"{" aria-current=page" if name == here else ""}>{escape(title)}</a></li>\n'
        for name, title in pages.items()
    )


def _on_this_page(headings: Iterable[Heading]) -> str:
    """The page's own table of contents, where it has more than one heading."""
    items = [
        f'<li class="level-{heading.level}"><a href="#{heading.anchor}">{escape(heading.text)}</a></li>\n'
        for heading in headings
        if heading.level <= 3
    ]
    if len(items) < 2:
        return ""
    return f'<nav class="on-this-page" aria-label="On this page">\n<ul>\n{"".join(items)}</ul>\n</nav>\n'

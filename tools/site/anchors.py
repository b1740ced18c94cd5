"""Anchors of headings as code hosts make them, anchors of rules, and links to rules: a Markdown extension."""

import re
from collections.abc import Callable
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.treeprocessors import Treeprocessor

__all__ = ["RulesExtension", "makeExtension", "make_slugify", "slugify"]

RULES_PAGE = "rules.md"

_CHAPTER = re.compile(r"R[1-9](?= )")
_RULE = re.compile(r"R[1-9]\.[1-9]\d?")


def slugify(text: str, separator: str) -> str:
    """Return the anchor of a heading.

    >>> slugify("What `since` means, and why", "-"), slugify("R5 Evaluation", "-")
    ('what-since-means-and-why', 'R5')
    """
    if chapter := _CHAPTER.match(text):
        return chapter[0]
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", separator)


def make_slugify() -> Callable[[str, str], str]:
    """Return `slugify`; the generator calls this for the function."""
    return slugify


class _RuleLinks(InlineProcessor):
    """Turns the id of a rule into a link to it, except within a link."""

    ANCESTOR_EXCLUDES = ("a",)

    def handleMatch(self, match: re.Match[str], _data: str) -> tuple[Element, int, int]:  # type: ignore[override]  # noqa: N802
        link = Element("a", href=f"{RULES_PAGE}#{match[0]}")
        link.text = match[0]
        return link, match.start(), match.end()


class _RuleAnchors(Treeprocessor):
    """Gives an item or a paragraph that begins with a rule's id in bold this id."""

    def run(self, root: Element) -> None:
        for element in root.iter():
            if element.tag in ("li", "p") and len(element) and not (element.text or "").strip():
                first = element[0]
                rule = "".join(first.itertext())
                if first.tag == "strong" and _RULE.fullmatch(rule):
                    element.set("id", rule)


class RulesExtension(Extension):
    """Links and anchors of rules."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Register both processors; anchors are set once everything inline has been parsed."""
        md.inlinePatterns.register(_RuleLinks(rf"\b{_RULE.pattern}\b", md), "rule_links", 5)
        md.treeprocessors.register(_RuleAnchors(md), "rule_anchors", 5)


def makeExtension(**_options: object) -> RulesExtension:  # noqa: N802 (Markdown looks for this name)
    """Return the extension."""
    return RulesExtension()

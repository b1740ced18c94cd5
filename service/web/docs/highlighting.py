"""Syntax highlighting: code as HTML with Pygments' CSS classes."""

from html import escape

from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

__all__ = ["highlight_code"]

_FORMATTER = HtmlFormatter(nowrap=True)


def highlight_code(code: str, language: str) -> str:
    """Return code as HTML, plain if the language has no lexer.

    >>> highlight_code("x = 1", "python").strip()
    '<span class="n">x</span> <span class="o">=</span> <span class="mi">1</span>'
    """
    try:
        return str(highlight(code, get_lexer_by_name(language, stripnl=False), _FORMATTER))
    except ClassNotFound:
        return escape(code)

"""Syntax highlighting: code as HTML with Pygments' CSS classes."""

from html import escape

from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers.configs import IniLexer, TOMLLexer
from pygments.lexers.data import JsonLexer, YamlLexer
from pygments.lexers.javascript import TypeScriptLexer
from pygments.lexers.python import PythonLexer
from pygments.lexers.shell import BashLexer

__all__ = ["highlight_code"]

_LEXERS = {
    "ini": IniLexer,
    "json": JsonLexer,
    "python": PythonLexer,
    "sh": BashLexer,
    "toml": TOMLLexer,
    "ts": TypeScriptLexer,
    "yaml": YamlLexer,
}

_FORMATTER = HtmlFormatter(nowrap=True)


def highlight_code(code: str, language: str) -> str:
    """Return code as HTML, plain if the language has no lexer.

    >>> highlight_code("x = 1", "python").strip()
    '<span class="n">x</span> <span class="o">=</span> <span class="mi">1</span>'
    """
    lexer = _LEXERS.get(language)
    return escape(code) if lexer is None else highlight(code, lexer(stripnl=False), _FORMATTER)

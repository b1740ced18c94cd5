"""Text that came from others, as a terminal or a log may show it."""

__all__ = ["escape_unprintable"]


def escape_unprintable(text: str) -> str:
    r"""The text on one line, with everything escaped that a terminal would obey or could not show.

    Letters of all scripts stay as they are; characters that only turn the direction of others do not.

    >>> printable("Zoë \x1b[2J\nok  done \u202e")
    'Zoë \\x1b[2J\\nok  done \\u202e'
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)

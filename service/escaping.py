"""Escaping of untrusted text for terminals and logs."""

__all__ = ["escape_unprintable"]


def escape_unprintable(text: str) -> str:
    r"""Return the text on one line, with everything escaped that a terminal would interpret or could not show.

    Letters of all scripts are printable; characters that only change the direction of text are not.

    >>> escape_unprintable("Zoë \x1b[2J\nok  done \u202e")
    'Zoë \\x1b[2J\\nok  done \\u202e'
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)

"""Generated sections of pages."""


def with_section(text: str, name: str, content: str) -> str:
    """Put `content` between `<!-- NAME -->` and `<!-- end of NAME -->`. Raise ValueError if the page lacks them."""
    before, begin, rest = text.partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- end of {name} -->")
    if not begin or not end:
        raise ValueError(f"the page has no section of {name}")
    return before + begin + content + end + after

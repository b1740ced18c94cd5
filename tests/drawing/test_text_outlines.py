"""Texts in pictures are outlines of a font that has few characters."""

from service.drawing.labels import text_width


def test_a_character_without_a_glyph_is_drawn_as_its_letter_or_as_unknown() -> None:
    assert text_width("\u01fb", 10) == text_width("a", 10)  # an a with a ring and an acute accent
    assert text_width("\u2603", 10) == text_width("\u2604", 10) > 0

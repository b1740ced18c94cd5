"""A bot that decides otherwise than it did has another version: who compares strengths needs it."""

import pytest

from tests.games.bots.reference_decisions import GAMES, assess_game, bot_versions, read_reference

REFERENCE = read_reference()


@pytest.mark.parametrize("number", range(len(GAMES)), ids=lambda number: f"{GAMES[number][0]}-{GAMES[number][1]}")
def test_the_same_version_makes_the_same_of_a_position(number: int) -> None:
    assessed, expected = assess_game(number), REFERENCE.games[number]
    assert {name: one.decisions for name, one in assessed.items()} == {
        name: one.decisions for name, one in expected.items()
    }
    figures = {name: pytest.approx(one.figures, abs=2e-6) for name, one in expected.items()}
    assert {name: one.figures for name, one in assessed.items()} == figures


def test_the_reference_is_that_of_the_versions() -> None:
    assert bot_versions() == REFERENCE.versions

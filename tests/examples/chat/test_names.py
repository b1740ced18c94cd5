"""Players' names made of users' names, judged by the service's own rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.chat.names import player_name, unique_name
from schemas.player_names import name_key, normalize_name

DISPLAY_NAMES = st.text(
    st.characters() | st.sampled_from("\u034f\u115f\u2800\u3164aA\uff21\ufe0f\u0301\u200d "), max_size=40
)


@pytest.mark.parametrize(
    ("name", "expected"),
    (("Ana", "Ana"), ("A\u202ena\n", "Ana"), ("x" * 40, "x" * 32), ("\u200b", "?"), (" Zoë ", "Zoë")),
)
def test_a_display_name_becomes_a_valid_name(name: str, expected: str) -> None:
    assert player_name(name) == expected


@given(DISPLAY_NAMES)
def test_the_service_accepts_every_name(name: str) -> None:
    assert normalize_name(player_name(name)) == player_name(name)


@given(st.lists(DISPLAY_NAMES, max_size=4))
def test_no_two_names_look_alike(names: list[str]) -> None:
    taken: list[str] = []
    for name in names:
        taken.append(unique_name(player_name(name), taken))
    assert len({name_key(name) for name in taken}) == len(taken)
    assert [normalize_name(name) for name in taken] == taken

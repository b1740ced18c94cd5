"""Players' names made of users' names, judged by the service's own rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.chat.names import plain_name, send_names, unique_names
from schemas.player_names import name_key, normalize_name
from south_seas import Client
from south_seas.models import CreateGame, SeatRequest

DISPLAY_NAMES = st.text(
    st.characters() | st.sampled_from("\u034f\u115f\u2800\u3164aA\uff21\ufe0f\u0301\u200d "), max_size=40
)

ACCEPTED = (
    "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627",  # Ali Reza in Persian
    "ශ\u0dca\u200dරී",
    "👨\u200d👩\u200d👧",
    "\U0001fae8",  # Unicode 15
    "\U00010d50",  # Unicode 16
    "Zoë",
)


def is_accepted(name: str) -> bool:
    """Return whether the service accepts a name as it is."""
    try:
        return normalize_name(name) == name
    except ValueError:
        return False


@pytest.mark.parametrize(
    ("sent", "received"),
    (
        (ACCEPTED[:5], ACCEPTED[:5]),
        (ACCEPTED[5:], ACCEPTED[5:]),
        (("Ana", "ANA ", "\uff21na"), ("Ana", "ANA 2", "\uff21na 3")),
        (("A\u202ena\n", "x" * 40), ("Ana", "x" * 32)),
        (("\u200b", " Zoë ", "\ud800"), ("?", "Zoë", "? 2")),
    ),
)
async def test_the_service_receives_names_as_users_write_them(
    client: Client, sent: tuple[str, ...], received: tuple[str, ...]
) -> None:
    async def create(names: list[str]) -> list[str | None]:
        seats = [*(SeatRequest(name=name) for name in names), SeatRequest(open=True)][:5]
        created = await client.create(CreateGame(players=seats))
        return [player.name for player in created.game.players]

    assert (await send_names(sent, (), create))[: len(sent)] == [*received]


@given(DISPLAY_NAMES)
def test_the_service_accepts_every_plain_name(name: str) -> None:
    assert is_accepted(plain_name(name))


@given(st.lists(DISPLAY_NAMES.filter(is_accepted) | DISPLAY_NAMES.map(plain_name), max_size=4))
def test_no_two_names_look_alike(names: list[str]) -> None:
    unique = unique_names(names, ())
    assert len({name_key(name) for name in unique}) == len(unique)

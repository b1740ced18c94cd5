"""The command line."""

import pytest

from examples.terminal.options import parse_options
from south_seas.models import SeatRequest


def test_the_default_is_two_players() -> None:
    assert parse_options([]).create.players == [SeatRequest(name="Ana"), SeatRequest(name="Bo")]


def test_seats_are_players_then_bots_then_open_ones() -> None:
    options = parse_options(["--players", "Cy", "--bots", "greedy", "--open", "1", "--edition", "german", "--private"])
    assert options.create.players == [SeatRequest(name="Cy"), SeatRequest(bot="greedy"), SeatRequest(open=True)]
    assert options.create.edition == "german"
    assert options.create.visibility == "private"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    (
        (["--players", "Ana"], "2 to 5 players"),
        (["--players", *"ABCDEF"], "2 to 5 players"),
        (["--join", "a", "--watch", "b"], "not allowed with"),
        (["--watch", "../x"], "../x: a game's id has"),
        (["--resume", ""], ": a game's id has"),
        (["--url", "localhost:8080"], "localhost:8080: a URL begins with http:// or https://"),
    ),
)
def test_an_invalid_command_line_is_reported(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as raised:
        parse_options(arguments)
    assert raised.value.code == 2
    assert sentence in capsys.readouterr().err

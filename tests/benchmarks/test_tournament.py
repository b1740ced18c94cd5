"""The tournament: every pair over the same decks from both sides."""

from argparse import Namespace

import pytest

from benchmarks.tournament import fixtures, main, play, wilson_interval


def test_every_deck_is_played_from_both_sides() -> None:
    options = Namespace(games=4, players=3, seed="s", edition="german")
    requested = [*fixtures(["a", "b", "c"], options)]
    assert len(requested) == 12
    assert [(one.seats, one.seed) for one in requested[:4]] == [
        (("a", "b", "a"), "s.3.0"),
        (("b", "a", "b"), "s.3.0"),
        (("a", "b", "a"), "s.3.1"),
        (("b", "a", "b"), "s.3.1"),
    ]
    assert {frozenset(one.seats) for one in requested if one.pair == ("b", "c")} == {frozenset("bc")}


def test_the_interval_is_wilsons() -> None:
    low, high = wilson_interval(8, 10)
    assert (round(low, 4), round(high, 4)) == (0.4902, 0.9433)
    low, high = wilson_interval(0, 20)
    assert (round(low, 4), round(high, 4)) == (0.0, 0.1611)


def test_each_seat_is_told_with_its_points_and_times() -> None:
    options = Namespace(games=2, players=2, seed="1", edition="international")
    games = [play(fixture) for fixture in fixtures(["greedy", "random"], options)]
    assert [[seat.bot for seat in seats] for seats in games] == [["greedy", "random"], ["random", "greedy"]]
    for seats in games:
        random, greedy = sorted(seats, key=lambda seat: seat.share)
        assert (random.bot, random.share, greedy.share) == ("random", 0.0, 1.0)
        assert greedy.points > random.points
        assert all(ms > 0 for seat in seats for ms in seat.turns_ms)


def test_the_table_has_a_line_for_each_bot_of_each_pair(capsys: pytest.CaptureFixture[str]) -> None:
    main(["random", "greedy", "--games", "2"])
    printed = capsys.readouterr()
    assert "2 of 2 games" in printed.err
    lines = printed.out.splitlines()
    assert lines[0].startswith("| 2 games each | wins | 95 % interval |")
    assert lines[2].startswith("| random against greedy | 0.0% | 0.0% to 65.8% |")
    assert lines[3].startswith("| greedy against random | 100.0% | 34.2% to 100.0% |")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    (
        (["greedy"], "two bots or more"),
        (["greedy", "greedy"], "each once"),
        (["greedy", "clever"], "invalid choice"),
        (["greedy", "random", "--games", "3"], "even"),
    ),
)
def test_a_wrong_line_ends_with_a_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert sentence in capsys.readouterr().err

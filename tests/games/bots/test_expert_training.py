"""The training of `expert`: its regression, and a tiny run."""

from pathlib import Path

import msgspec
import pytest

from service.games.bots.expert import INPUT_NAMES, KNOTS, WEIGHTS_FILE, TrainedWeights, load_weights
from tools.expert_training import Sums, main


def some_inputs(**values: float) -> list[float]:
    return [values.get(name, 0.0) for name in INPUT_NAMES]


def test_the_fit_finds_the_weights_of_made_up_games() -> None:
    sums = Sums()
    for wares in range(1, 30):
        for points in range(30):
            for turns in KNOTS:
                inputs = some_inputs(wares=wares, near=points)
                sums.add_row(inputs, turns, 0.5 * wares + (0.1 + 0.05 * turns) * points)
    weights = sums.fit([0.0] * len(sums.moments))
    by_name = {name: weights[number * len(KNOTS) :][: len(KNOTS)] for number, name in enumerate(INPUT_NAMES)}
    assert by_name["wares"] == pytest.approx([0.5] * len(KNOTS), abs=0.05)
    assert by_name["near"] == pytest.approx([0.1 + 0.05 * turns for turns in KNOTS], abs=0.05)
    assert by_name["seas"] == [0.0] * len(KNOTS)
    assert sums.squared_error(weights) < 0.01 * sums.squares


def test_a_fit_stays_where_no_game_was_played() -> None:
    assert Sums().fit([3.0] * len(Sums().moments)) == pytest.approx([3.0] * len(Sums().moments))


def test_a_training_writes_weights_after_every_round_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "weights.json"
    arguments = ["--games", "1", "--rounds", "1", "--effort", "0", "--output", str(file)]
    main(arguments)
    trained = msgspec.json.decode(file.read_bytes(), type=TrainedWeights)
    assert [*trained.tables] == [2, 3, 4, 5]
    assert [*trained.errors[0]] == [2, 3, 4, 5]
    assert all(after < before for before, after in trained.errors[0].values())
    assert all(weight < 1 for table in trained.tables.values() for weight in table.inputs["first_ship"])
    assert "--games 1 --rounds 1 --effort 0" in trained.command
    assert "4 of 4 games" in capsys.readouterr().err
    written = file.read_bytes()
    main(arguments)
    assert file.read_bytes() == written
    assert not capsys.readouterr().err


def test_weights_are_interpolated_between_knots() -> None:
    weights = load_weights()
    three, five, seven = (weights.weights(4, turns) for turns in (3, 5, 7))
    assert five == pytest.approx([(low + high) / 2 for low, high in zip(three, seven, strict=True)])


def test_the_weights_in_the_service_are_those_of_a_training() -> None:
    trained = msgspec.json.decode(WEIGHTS_FILE.read_bytes(), type=TrainedWeights)
    assert trained.command.startswith("python -m tools.expert_training ")
    assert len(trained.errors) > 1
    assert all(table.spread[0] < table.spread[-1] for table in trained.tables.values())

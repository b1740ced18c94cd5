"""The capacity model and the simulation, against what can be reckoned by hand."""

from pathlib import Path
from statistics import mean

import msgspec
import pytest

from benchmarks.capacity.model import Costs, Load, predict
from benchmarks.capacity.simulation import simulate
from benchmarks.capacity.table import DOCUMENT, MARKED, Row, write

COSTS = Costs(
    action_us=200,
    reload_us=100,
    delivery_us=10,
    hint_us=20,
    follow_us=60,
    redis_action_us=40,
    redis_reload_us=10,
    redis_hint_us=5,
    redis_follow_us=15,
    client_us=0,
    diff_bytes=700,
    snapshot_bytes=4_000,
    log_bytes=150_000,
    answers_bytes=30_000,
    socket_bytes=12_000,
    instance_bytes=60_000_000,
)


def test_one_instance_pays_for_actions_and_deliveries() -> None:
    use = predict(COSTS, Load(games=100, actions_per_game_s=10, sockets_per_game=3), 1)
    assert use.service_cores == pytest.approx(1_000 * (200 + 3 * 10) / 1e6)
    assert use.redis_cores == pytest.approx(1_000 * 40 / 1e6)
    assert use.sent_bytes_s == pytest.approx(1_000 * 3 * 700)
    assert use.service_bytes == 60_000_000 + 300 * 12_000


def test_others_cost_a_hint_each_and_where_they_watch_a_reading() -> None:
    use = predict(COSTS, Load(games=100, actions_per_game_s=10, sockets_per_game=1), 2)
    assert use.service_cores == pytest.approx(1_000 * (200 + 100 / 2 + 10 + 20 + 60 / 2) / 1e6)
    assert use.redis_cores == pytest.approx(1_000 * (40 + 10 / 2 + 5 + 15 / 2) / 1e6)


def test_games_kept_together_cost_more_instances_only_hints() -> None:
    spread, together = (predict(COSTS, Load(100, 10, by_game=by_game), 4) for by_game in (False, True))
    alone = predict(COSTS, Load(100, 10), 1)
    assert together.service_cores == pytest.approx(alone.service_cores + 1_000 * 3 * 20 / 1e6)
    assert spread.service_cores > together.service_cores


def test_finished_games_weigh_as_long_as_they_are_kept() -> None:
    slow = Load(games=146, actions_per_game_s=1 / 86_400)
    assert slow.finished == 0
    kept = Load(games=146, actions_per_game_s=1 / 86_400, kept_days=30)
    assert kept.finished == pytest.approx(30)
    more = predict(COSTS, kept, 1).redis_bytes - predict(COSTS, slow, 1).redis_bytes
    assert more == pytest.approx(30 * 154_000 + 30_000)


def test_an_idle_service_answers_in_the_time_that_an_action_takes() -> None:
    seconds = simulate(COSTS, Load(games=1, actions_per_game_s=1, sockets_per_game=0), 1, cores=4, seconds=200).seconds
    assert len(seconds) == pytest.approx(200, rel=0.3)
    assert min(seconds) == pytest.approx(240e-6)


def test_waiting_is_that_of_one_server_with_random_arrivals() -> None:
    """Pollaczek-Khinchine, fixed service times: the mean wait is rho s / 2 (1 - rho). All the work is Redis's here."""
    costs = msgspec.structs.replace(COSTS, action_us=0, redis_action_us=200)
    load = Load(games=1_000, actions_per_game_s=2.5, sockets_per_game=0)
    seconds = simulate(costs, load, 1, cores=4, seconds=40).seconds
    work, rho = 200e-6, 0.5
    assert mean(seconds) == pytest.approx(work + rho * work / 2 / (1 - rho), rel=0.15)


def test_the_simulation_spends_what_the_model_foretells() -> None:
    load = Load(games=50, actions_per_game_s=20, sockets_per_game=2)
    simulated = simulate(COSTS, load, 4, cores=8, seconds=20)
    use = predict(COSTS, load, 4)
    instances = sum(spent for name, spent in simulated.busy_s.items() if name.startswith("instance"))
    assert instances / 20 == pytest.approx(use.service_cores, rel=0.05)
    assert simulated.busy_s["redis"] / 20 == pytest.approx(use.redis_cores, rel=0.05)


def test_cores_are_shared() -> None:
    load = Load(games=50, actions_per_game_s=60, sockets_per_game=0)
    few, many = (simulate(COSTS, load, 4, cores=cores, seconds=5).seconds for cores in (1, 8))
    assert mean(few) > 2 * mean(many)


def test_the_tables_are_written_to_where_the_page_has_them(tmp_path: Path) -> None:
    page = tmp_path / "scaling.md"
    page.write_bytes(DOCUMENT.read_bytes())
    write("today", COSTS, [Row(2, 400.0, 3, by_game=True, cells=[(1.0, 2.0)])], page)
    text = page.read_text(encoding="utf-8")
    assert [found[1] for found in MARKED.finditer(text)] == ["costs, today", "compared, today", "plans, today"]
    assert "| an action in the service | 200 | µs |" in text
    assert "| 2 | 400 | 3 | yes | 1.00 / 2.00 |" in text
    assert "| 1 million at one sitting | 100,000 |" in text


def test_the_page_shows_figures_that_were_measured() -> None:
    measured = [found[1] for found in MARKED.finditer(DOCUMENT.read_text(encoding="utf-8"))]
    assert len(measured) == 3
    assert not any("none yet" in title for title in measured)

"""Taking moves back: what may be, that all is as before, and that others follow it by the log alone."""

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.commands import IncludeQuery
from service.engine import build_view, is_finished
from service.games.commands import play as undoing
from service.games.commands.play import compute_undo_point
from service.games.diffs import compare_views
from service.games.errors import NothingToUndo, NotYourTurn, Unauthorized, VersionMismatch, WrongSeat
from service.games.history import verify
from service.games.ports import GameStore, Revision
from service.json_patch import apply_patch
from tests.games.game_fixture import new_game, seconds_left
from tests.games.game_logs import LAGOON, decode_log
from tests.games.random_game import TABLES, RandomGame, strip_history
from tests.polling import rounds


async def test_undoing_a_tile_restores_the_game(store: GameStore) -> None:
    table = await new_game(store, timeout_s=60)
    before = await table.game()
    await table.follow()
    observed = table.view
    table.clock.now += 5
    await table.act()
    assert (await table.game()).undoable == 1
    acted = await table.undo(token=table.tokens[0], prefers_game=True, query=IncludeQuery(include="legal_moves"))
    await table.follow()
    assert {name for name, value in table.view.items() if value != observed[name]} == {"version", "updated_at"}
    assert (table.view["version"], table.view["turn"]["undoable"]) == (3, 0)
    diff = table.log[-1]
    assert (diff["by"], diff["seat"], diff["move"]) == ("seat", 0, None)
    assert diff["events"] == [{"type": "move_undone", "seat": 0, "move": table.log[-2]["move"]}]
    assert strip_history(await table.game()) == strip_history(before)
    assert acted.game is not None
    assert acted.legal_moves is not None
    assert acted.legal_moves.phase == "place_tile"
    assert seconds_left(await table.game(), table.clock) == 55


async def test_actions_are_undone_one_by_one_to_the_start_of_the_turn(store: GameStore) -> None:
    table = await new_game(store)
    states = [await table.game()]
    chance = Random(5)
    for _ in rounds():
        game = await table.game()
        if game.undoable == 2:
            break
        if game.undoable == 0:
            states = [game]
        await table.act(chance.choice(await table.moves()))
        states.append(await table.game())
    for state in reversed(states[:-1]):
        await table.undo()
        assert strip_history(await table.game()) == strip_history(state)
    with pytest.raises(NothingToUndo):
        await table.undo()
    await table.act()
    await table.undo()
    assert strip_history(await table.game()) == strip_history(states[0])
    await table.follow()


async def test_nothing_is_undone_after_the_next_tile_is_drawn(store: GameStore) -> None:
    table = await new_game(store)
    await table.finish_turn()
    with pytest.raises(NothingToUndo):
        await table.undo()
    with pytest.raises(NotYourTurn):
        await table.undo(token=table.tokens[0])


async def test_who_may_undo(store: GameStore) -> None:
    table = await new_game(store)
    await table.act(token=table.tokens[0])
    for token, refusal in ((table.tokens[1], NotYourTurn), (None, Unauthorized)):
        with pytest.raises(refusal):
            await table.undo(token=token or "nobody's")
    with pytest.raises(WrongSeat):
        await table.undo(seat=0, token=table.tokens[1])
    with pytest.raises(VersionMismatch):
        await table.undo(if_match=[Revision(1, b"")])
    await table.undo(if_match=[Revision(2, b"")])


async def test_undo_is_limited_by_the_number_of_versions(store: GameStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(undoing, "MAX_VERSIONS", 3)
    table = await new_game(store)
    await table.act()
    await table.undo()
    await table.act()
    with pytest.raises(NothingToUndo):
        await table.undo()


@pytest.mark.parametrize("late", ("act", "undo"))
async def test_undo_does_not_delay_the_time_out(store: GameStore, late: str) -> None:
    table = await new_game(store, timeout_s=60)
    table.clock.now += 61 if late == "act" else 60
    await table.act()
    assert (await table.game()).undoable == (0 if late == "act" else 1)
    table.clock.now += 0 if late == "act" else 1
    with pytest.raises(NothingToUndo):
        await table.undo()
    await table.verify()


async def test_undo_stops_at_another_players_action(store: GameStore) -> None:
    table = await new_game(store, 3)
    await table.act()
    assert (await table.game()).undoable == 1
    await table.resign(token=table.tokens[2])
    assert (await table.game()).undoable == 0
    with pytest.raises(NothingToUndo):
        await table.undo()
    await table.act()
    await table.follow()


async def test_actions_of_the_clock_and_of_bots_are_not_undone(store: GameStore) -> None:
    table = await new_game(store, timeout_s=60, policy="bot", bot_budget_s=0.0)
    await table.act()
    await table.let_pass(61, bot_budget_s=0.0)
    await table.return_to_seat(seat=0)
    with pytest.raises(NothingToUndo):
        await table.undo()
    await table.follow()


async def test_nothing_is_undone_if_the_log_contradicts_the_game(store: GameStore) -> None:
    table = await new_game(store)
    await table.act()
    game = await table.game()
    log = await store.load_diffs(table.id, 0, 100)
    assert compute_undo_point(TABLES, game, log) is not None
    game.schema_version += 1  # as a later release set it
    assert compute_undo_point(TABLES, game, log) is not None
    game.players[1].wares[0] += 1
    assert compute_undo_point(TABLES, game, log) is None
    assert compute_undo_point(TABLES, game, []) is None
    broken = msgspec.structs.replace(log[0], data=log[0].data.replace(b'"version":1', b'"version":9'))
    assert compute_undo_point(TABLES, game, [log[0], broken]) is None


def test_the_patch_between_any_two_states_of_a_game() -> None:
    course = RandomGame("between", 3, None, None)
    states = [build_view(TABLES, course.game)]
    while not is_finished(course.game):
        course.act()
        states.append(build_view(TABLES, course.game))
    for before in states[::7]:
        for after in states[::5]:
            patch = msgspec.to_builtins(compare_views(before, after))
            assert apply_patch(msgspec.to_builtins(before), patch) == msgspec.to_builtins(after)


@given(
    seed=st.integers(0, 10**6).map(str),
    players=st.integers(2, 5),
    timeout_s=st.sampled_from((None, 1, 3, 600)),
    policy=st.sampled_from(("pass", "bot", "resign")),
    often=st.sampled_from(((4, 1, 0), (4, 3, 1), (8, 2, 2))),
    open_seats=st.integers(0, 2),
)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_random_games_are_followed_and_verified(
    seed: str, players: int, timeout_s: int | None, policy: Any, often: tuple[int, int, int], open_seats: int
) -> None:
    """Joins, actions, undo, time-outs, returns, and now and then somebody resigns; what is undone leaves no trace."""
    course = RandomGame(seed, players, timeout_s, policy if timeout_s else None, open_seats)
    while course.game.status == "waiting":
        course.random.choice((course.join, course.join, course.leave))()
    what = (course.act, course.undo, course.time_out)
    while not is_finished(course.game):
        course.random.choices(what, often)[0]()
        if course.game.status == "active" and course.random.random() < 0.02:
            course.random.choice((course.resign, course.return_to_seat, course.return_to_seat))()
    assert all(check.passed for check in verify(decode_log(course.log), LAGOON.tileset))

"""Players who resign, in every phase, and bots that replace them. The rulebook covers neither."""

from random import Random

import pytest

from schemas.actions import TakeShip
from schemas.events import (
    FeatureEvaluated,
    GameFinished,
    IslanderReturned,
    PlayerResigned,
    ShipTaken,
    TileDiscarded,
    TileDrawn,
    TurnStarted,
)
from service.engine import (
    GameNotActive,
    apply_action,
    build_view,
    decode_snapshot,
    encode_snapshot,
    is_finished,
    legal_moves,
    mark_aborted,
    resign,
)
from service.engine.evaluation import islander_counts
from tests.engine.lockstep import lagoon_index, new_game
from tests.rules.rules_game import BLUE, BOARDS, GREEN, RED, Table, kinds, of, ship
from tests.rules.test_r5_evaluation import one_market, worth


def test_a_drawn_tile_goes_back_on_top_of_the_bag_and_the_next_player_draws_it() -> None:
    table = Table(BOARDS["bridge of two shells"], players=3)
    tile, bag = table.game.tile, [*table.game.bag]
    assert kinds(table.resign(RED)) == [PlayerResigned, TurnStarted, TileDrawn]
    assert (table.game.seat, table.game.turn_number, table.game.tile, table.game.bag) == (BLUE, 2, tile, bag)
    assert table.game.discarded == []


def test_the_last_drawn_tile_is_still_played() -> None:
    table = Table(BOARDS["bridge of two shells"], players=3, spares=0)
    table.play(None, None)
    assert table.game.bag == []
    table.resign(GREEN)
    events = table.lay(RED)
    assert [event.reason for event in of(events, GameFinished)] == ["last_tile"]


def test_a_placed_tile_is_evaluated_for_the_others() -> None:
    table = Table(BOARDS["joined island"], players=3)
    table.play("island", None, "island", None)
    table.place(BLUE)
    events = table.resign(BLUE)
    (evaluated,) = of(events, FeatureEvaluated)
    assert evaluated.winners == [RED, GREEN]
    assert kinds(events)[-2:] == [TurnStarted, TileDrawn]
    assert table.game.seat == GREEN


def test_islanders_go_home_for_nothing_and_leave_their_features_unoccupied() -> None:
    table = Table(BOARDS["joined island"], players=3)
    table.play("island", "sea")
    assert kinds(table.resign(RED)) == [PlayerResigned, IslanderReturned]
    assert (table.game.seat, table.supply(), table.wares(RED)) == (GREEN, [4, 3, 4], {})
    for standing in (player.islander_segments for player in table.game.players):
        for segment in standing:
            assert islander_counts(table.game, table.game.feature_labels[segment]) == [0, 1, 0]
    assert [tile.islanders for tile in table.view().board.values() if tile.islanders] == [
        table.view().board["2,0"].islanders
    ]


def test_who_resigned_is_passed_over_and_cannot_win() -> None:
    table = Table(BOARDS["bridge of two shells"], players=3, spares=2)
    table.give(BLUE, fish=9)
    table.lay(RED)
    table.resign(BLUE)
    seats = []
    while not is_finished(table.game):
        seats.append(table.game.seat)
        table.act(legal_moves(table.index, table.game)[-1])
    assert set(seats) == {RED, GREEN}
    result = table.result()
    assert BLUE not in result.winners
    assert max(result.scores, key=lambda score: score.total).seat == BLUE


def test_of_two_the_other_has_won_whatever_the_points() -> None:
    table = Table(BOARDS["joined island"])
    table.give(RED, fish=9)
    for seat, islander in ((RED, "sea"), (BLUE, None), (RED, None), (BLUE, "island")):
        table.lay(seat, islander)
    events = table.resign(RED)
    assert [event.winners for event in of(events, FeatureEvaluated)] == [[BLUE]]
    assert [(event.reason, event.winners) for event in of(events, GameFinished)] == [("resigned", [BLUE])]
    result = table.result()
    assert (result.reason, result.winners, [score.total for score in result.scores]) == ("resigned", [BLUE], [3, 0])
    with pytest.raises(GameNotActive):
        table.resign(BLUE)


def test_of_three_who_is_left_last_has_won() -> None:
    table = Table(BOARDS["bridge of two shells"], players=3)
    table.resign(GREEN)
    assert table.game.status == "active"
    assert of(table.resign(RED), GameFinished)[0].winners == [BLUE]


def test_a_ship_that_a_market_owes_is_not_taken() -> None:
    table, _ = one_market(worth(6, 2, 6, 3, 4), players=3)
    assert (table.game.seat, table.game.decider) == (GREEN, RED)
    events = table.resign(RED)
    assert ShipTaken not in kinds(events)
    assert kinds(events)[-2:] == [TurnStarted, TileDrawn]
    assert (table.game.seat, table.ships(RED)) == (BLUE, [])


def test_another_one_who_chooses_goes_on_choosing() -> None:
    table, _ = one_market(worth(6, 2, 6, 3, 4), players=3)
    assert kinds(table.resign(GREEN)) == [PlayerResigned]
    assert (table.game.seat, table.game.decider, table.choices()) == (GREEN, RED, ["s0-6", "s2-6"])
    table.act(TakeShip("s0-6"))
    assert (table.game.seat, table.ships(RED)) == (RED, ["s0-6"])


def test_the_next_one_who_is_owed_a_ship_chooses() -> None:
    table = Table(BOARDS["two markets"], ships=worth(6, 6, 6, 6), players=4)
    table.play("market", None, None, "market", *7 * [None])
    table.place(11 % 4)
    table.skip("islander")
    assert (table.game.seat, table.game.ships_owed) == (3, [3, RED])
    table.resign(3)
    assert (table.game.phase, table.game.decider, table.game.seat) == ("take_ship", RED, 3)
    table.act(TakeShip("s0-6"))
    assert table.game.seat == RED


def test_who_resigns_before_delivering_delivers_nothing() -> None:
    table = Table(BOARDS["bridge of two shells"], players=3, ships=[ship("cheap", 2, fish=1), ship("far", 3, fish=20)])
    table.give(RED, fish=1)
    table.lay(RED)
    assert table.phase() == "deliver"
    assert kinds(table.resign(RED)) == [PlayerResigned, TurnStarted, TileDrawn]
    assert (table.game.seat, table.ships(RED), table.wares(RED)) == (BLUE, [], {"fish": 1})


def test_who_resigned_after_placing_is_not_asked_to_deliver_what_a_choice_has_kept_open() -> None:
    ships = [ship("a", 6, bananas=20), ship("b", 6, bananas=20), ship("cheap", 2, fish=1), ship("c", 2, bananas=20)]
    table, _ = one_market(ships, players=3)
    table.give(GREEN, fish=1)
    table.resign(GREEN)
    table.act(TakeShip("a"))
    assert (table.game.seat, table.game.phase) == (RED, "place_tile")


def test_nobody_resigns_where_nobody_plays() -> None:
    table = Table(BOARDS["bridge of two shells"])
    mark_aborted(table.game)
    with pytest.raises(GameNotActive):
        table.resign(RED)


@pytest.mark.parametrize("players", (2, 3, 4, 5))
@pytest.mark.parametrize("seed", range(15))
def test_games_in_which_some_resign_at_any_time_end_with_a_winner(players: int, seed: int) -> None:
    index, chance = lagoon_index(), Random(f"{players} {seed}")
    game = new_game(index, seed, players)
    tiles = len(game.bag) + 2
    while moves := legal_moves(index, game):
        there = [seat for seat, player in enumerate(game.players) if not player.resigned]
        assert game.seat in there or game.phase == "take_ship"
        assert game.decider in there
        if chance.random() < 0.01 * players:
            events = resign(index, game, chance.choice(there))
            assert TileDiscarded not in kinds(events) or TileDrawn in kinds(events)
        else:
            apply_action(index, game, chance.choice(moves))
        if game.status == "active":
            assert len(game.bag) + len(game.discarded) + len(game.cells) + (game.phase == "place_tile") == tiles
        for player in game.players:
            assert player.supply + len(player.islander_segments) == 4
            assert not (player.resigned and player.islander_segments)
        for label in {game.feature_labels[segment] for player in game.players for segment in player.islander_segments}:
            assert islander_counts(game, label) == [
                sum(game.feature_labels[segment] == label for segment in player.islander_segments)
                for player in game.players
            ]
        assert encode_snapshot(decode_snapshot(encode_snapshot(game))) == encode_snapshot(game)
    result = build_view(index, game).result
    assert result is not None
    assert result.winners
    assert not any(game.players[seat].resigned for seat in result.winners)

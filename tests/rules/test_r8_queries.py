"""R8: queries. Pictures (R8.5) are not part of the engine."""

from collections import Counter

from service.engine.queries import feature_labels_at, feature_value, islander_values, player_scores, tiles_left
from tests.rules.rules_game import BLUE, BOARDS, FAR_SHIPS, RED, Table, kinds_of, ship


def four_roles() -> Table:
    """Red's collector and merchant, Blue's fisherman and picker; the best ship of the display is worth 5."""
    points = (2, 5, 3, 4, 6)
    table = Table(BOARDS["four roles"], ships=[ship(f"worth-{number}", number, choice=20) for number in points])
    for seat, name in ((RED, "bridge"), (BLUE, "sea"), (RED, "market"), (BLUE, "island")):
        table.lay(seat, name)
    return table


def three_pickers() -> Table:
    """Two of Red's and one of Blue's on islands that tile 5 has joined and completed; nothing is evaluated yet."""
    table = Table(BOARDS["joined island"], ships=[*FAR_SHIPS, ship("four", 4, choice=20)])
    table.play("island", None, "island", "island")
    return table


def test_r8_1_the_tiles_in_the_bag_by_type_and_number() -> None:
    """R8.1: also the types of which none is left; the drawn tile is no longer in the bag, discards are not either."""
    table = Table(BOARDS["joined island"], spares=3)
    assert tiles_left(table.index, table.game) == {
        "tile-0": 0,
        "tile-1": 0,
        **{f"tile-{number}": 1 for number in (2, 3, 4, 5)},
        "spare": 3,
    }
    table.lay(RED)
    assert [*Counter(tiles_left(table.index, table.game)).elements()] == ["tile-3", "tile-4", "tile-5", *3 * ["spare"]]


def test_r8_1_their_order_is_never_told() -> None:
    """R8.1: the answer is in the order of the set, whatever the bag's."""
    one, other = Table(BOARDS["joined island"]), Table(BOARDS["joined island"])
    other.game.bag.reverse()
    assert [*tiles_left(one.index, one.game).items()] == [*tiles_left(other.index, other.game).items()]
    assert one.view() == other.view()


def test_r8_2_where_a_players_islanders_stand() -> None:
    """R8.2: the cell and the segment of each, and what it is there."""
    table = four_roles()
    assert {
        (cell, standing.segment, standing.seat)
        for cell, placed in table.view().board.items()
        for standing in placed.islanders
    } == {
        ("1,0", table.segment(1, "bridge"), RED),
        ("0,1", table.segment(2, "sea"), BLUE),
        ("1,1", table.segment(3, "market"), RED),
        ("0,2", table.segment(4, "island"), BLUE),
    }
    assert [(one.seat, one.x, one.y, one.kind, one.role) for one in islander_values(table.index, table.game)] == [
        (RED, 1, 0, "bridge", "shell_collector"),
        (RED, 1, 1, "market", "merchant"),
        (BLUE, 0, 1, "sea", "fisherman"),
        (BLUE, 0, 2, "island", "banana_picker"),
    ]


def test_r8_3_points_now_and_if_the_game_ended_now() -> None:
    """R8.3: ships and wares held, and the wares from each incomplete feature; markets bring nothing."""
    table = four_roles()
    table.give(RED, bananas=1)
    red, blue = player_scores(table.index, table.game)
    assert kinds_of(red.if_ended_now.pending) == {"shells": 2}
    assert kinds_of(blue.if_ended_now.pending) == {"bananas": 2, "fish": 3}
    assert [(one.points_now, one.if_ended_now.ships, one.if_ended_now.wares) for one in (red, blue)] == [
        (0, 0, 1),
        (0, 0, 1),
    ]


def test_r8_3_also_what_was_completed_this_turn_and_is_not_yet_evaluated() -> None:
    """R8.3: the island that tile 5 has just completed is Red's."""
    table = three_pickers()
    table.award(RED, "four")
    table.give(RED, fish=5)
    table.place(RED)
    red, blue = player_scores(table.index, table.game)
    assert (red.points_now, red.if_ended_now.ships, red.if_ended_now.wares, red.if_ended_now.total) == (4, 4, 2, 6)
    assert kinds_of(red.if_ended_now.pending) == {"bananas": 3}
    assert (blue.points_now, blue.if_ended_now.total, kinds_of(blue.if_ended_now.pending)) == (0, 0, {})


def test_r8_3_is_what_the_last_scoring_gives() -> None:
    """R8.3, R7.2: asked just before the end."""
    table = Table(BOARDS["four roles"], spares=0)
    for seat, name in ((RED, "bridge"), (BLUE, "sea"), (RED, "market")):
        table.lay(seat, name)
    table.place(BLUE)
    expected = [one.if_ended_now.total for one in player_scores(table.index, table.game)]
    table.skip("islander")
    result = table.result()
    assert [score.total for score in result.scores] == expected == [0, 1]


def test_r8_4_what_an_islander_would_bring_now() -> None:
    """R8.4: the wares of its feature; a merchant the points of the best ship in the display."""
    table = four_roles()
    assert [(one.role, one.value, one.unit, one.majority) for one in islander_values(table.index, table.game)] == [
        ("shell_collector", 2, "shells", True),
        ("merchant", 5, "points", True),
        ("fisherman", 3, "fish", True),
        ("banana_picker", 2, "bananas", True),
    ]


def test_r8_4_an_outnumbered_islander_would_bring_nothing() -> None:
    table = three_pickers()
    table.place(RED)
    assert [(one.seat, one.value, one.majority) for one in islander_values(table.index, table.game)] == [
        (RED, 3, True),
        (RED, 3, True),
        (BLUE, 0, False),
    ]


def test_r8_4_each_feature_says_who_is_there_what_it_gives_and_what_it_lacks() -> None:
    """R8.4: sides without a neighbour; of a market, empty cells around it.

    The sea is on both sides of the bridge's open end, which is one side.
    """
    table = four_roles()
    of_tile, of_all = (feature_labels_at(table.index, table.game, *cell) for cell in ((1, 0), (None, None)))
    features = [feature_value(table.index, table.game, label) for label in (*of_tile, *of_all)]
    bridge, sea = ("bridge", RED, {"shells": 2}, 1), ("sea", BLUE, {"fish": 3}, 9)
    market, island = ("market", RED, dict[str, int](), 4), ("island", BLUE, {"bananas": 2}, 1)
    assert [
        (one.kind, *(at.seat for at in one.islanders if at.count == 1), kinds_of(one.wares), one.open)
        for one in features
    ] == [sea, bridge, sea, bridge, market, island]

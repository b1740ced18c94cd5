"""A result of the peers as Markdown."""

from benchmarks.peers.table import reached, spread, table
from benchmarks.results import Figure, ratios, series

OURS = Figure(
    name="peers.service.post.rate",
    group="Services beside peers",
    title="all matches at once",
    unit="moves/s",
    measured=series([4_000.0, 4_400.0, 3_600.0]),
    of="South Seas by POST",
    ceiling=series([2_000.0, 2_000.0, 2_000.0]),
    ceiling_title="boardgame.io",
    ratio=ratios([4_000.0, 4_400.0, 3_600.0], [2_000.0, 2_000.0, 2_000.0]),
    reach_ratio=2.0,
)
THEIRS = Figure(
    name="peers.service.boardgame.half.p99",
    group="Services beside peers",
    title="to the other client at half load, p99",
    unit="ms",
    better="less",
    measured=series([8.0]),
    of="boardgame.io 0.50.2",
)


def test_a_line_for_each_server_and_a_column_for_each_question() -> None:
    assert list(table([OURS, THEIRS])) == [
        "| **Services beside peers** | all matches at once, moves/s | to the other client at half load, p99, ms |",
        "|---|---:|---:|",
        "| South Seas by POST | 4,000 ±10% |  |",
        "| boardgame.io 0.50.2 |  | 8 |",
    ]


def test_one_round_has_no_spread() -> None:
    assert spread(THEIRS) == "8"


def test_what_was_set_out_to_reach_is_said_beside_what_was() -> None:
    [sentence] = reached([OURS, THEIRS])
    assert sentence == (
        "South Seas by POST, all matches at once: 2 times as good as boardgame.io's of the same rounds; "
        "set out to reach 2 times"
    )

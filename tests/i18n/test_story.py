"""The log as a story: a paragraph for each change."""

import msgspec

from schemas.events import AnyEvent, IslanderPlaced, MoveUndone, TilePlaced, TurnStarted, TurnTimedOut
from service.i18n import EventNarrator, get_translator
from service.i18n.events import StoryChange, decode_change, narrate_story
from tests.engine.random_games import lagoon_index, new_game
from tests.games.game_logs import LAGOON, play_game
from tests.games.game_logs import new_game as waiting_game

TABLES = lagoon_index()
AT = "2026-11-21T21:00:00Z"


def make_change(version: int, *events: AnyEvent, move: str | None = None) -> StoryChange:
    return StoryChange(version=version, at=AT, seat=0, move=move, events=list(events))


def test_a_whole_game_is_narrated_line_by_line() -> None:
    log = play_game("story")
    game, _ = waiting_game("story")
    game.players[1].name = "Zoë"
    narrator = EventNarrator.of(get_translator("en"), LAGOON.index, game)
    lines = [*narrate_story(narrator, [decode_change(diff.data) for diff in log], None)]
    assert [line.version for line in lines] == [*range(1, len(log) + 1)]
    assert all(line.text for line in lines)
    assert lines[1].text.startswith("Zoë joins (blue). The game begins, P0 goes first. It is P0’s turn.")
    assert (lines[0].turn, lines[1].turn, lines[2].turn) == (None, None, 1)
    turns = [line.turn for line in lines[2:] if line.turn is not None]
    assert turns == sorted(turns)
    assert len(turns) == len(lines) - 2
    assert {line.seat for line in lines if line.turn is not None and line.turn % 2 == 0} == {1}


def test_a_pass_has_a_text_without_an_event() -> None:
    game = new_game(TABLES, 2)
    game.players[0].name, game.players[1].name = "Ana", "Bo"
    received = narrate_story(
        EventNarrator.of(get_translator("en"), TABLES, game),
        [
            make_change(5, move="pass.islander"),
            make_change(6, TurnStarted(number=2, seat=1), move="pass.deliver"),
            make_change(7, TurnTimedOut(seat=0, policy="pass"), TurnStarted(number=3, seat=1), move="pass.islander"),
        ],
        1,
    )
    assert [line.text for line in received] == [
        "Ana places no islander.",
        "Ana delivers nothing. It is Bo’s turn.",
        "Time is up for Ana: the clock plays. Ana places no islander. It is Bo’s turn.",
    ]


def test_an_islander_on_an_undone_tile_has_its_former_role() -> None:
    """The current board has another tile there, or none."""
    game = new_game(TABLES, 2)
    game.players[0].name = "Ana"
    sea, market = "atoll", "market-4"
    log = [
        make_change(2, TurnStarted(number=1, seat=0)),
        make_change(3, TilePlaced(seat=0, tile=market, x=1, y=0, rotation=0), move="p1.0.0"),
        make_change(4, IslanderPlaced(seat=0, x=1, y=0, segment=_first_segment(market, "market")), move="i0"),
        make_change(5, MoveUndone(seat=0, move="i0")),
        make_change(6, MoveUndone(seat=0, move="p1.0.0")),
        make_change(7, TilePlaced(seat=0, tile=sea, x=1, y=0, rotation=0), move="p1.0.0"),
        make_change(8, IslanderPlaced(seat=0, x=1, y=0, segment=_first_segment(sea, "sea")), move="i0"),
    ]
    texts = {
        line.version: line.text
        for line in narrate_story(EventNarrator.of(get_translator("de"), TABLES, game), log, None)
    }
    assert "einen Händler" in texts[4]
    assert texts[5] == "Ana nimmt den gesetzten Insulaner wieder weg."
    assert texts[6] == "Ana nimmt die Karte 1 Feld östlich der Startkarte wieder weg."
    assert "einen Fischer" in texts[8]


def _first_segment(tile: str, kind: str) -> int:
    segments = msgspec.to_builtins(TABLES.tileset.tiles[TABLES.tile_numbers[tile]].segments)
    return next(index for index, segment in enumerate(segments) if segment["kind"] == kind)

"""The catalogues are complete and compiled, and the log is told as a story with a paragraph for each change."""

import json
import re
from pathlib import Path
from shutil import copytree

import msgspec
import pytest

from schemas.events import AnyEvent, GameResumed, IslanderPlaced, MoveUndone, TilePlaced, TurnStarted, TurnTimedOut
from schemas.vocabulary import EDGES
from service.i18n import ENGLISH, LANGUAGES, EventNarrator, get_translator
from service.i18n.events import LoggedChange, decode_change, narrate_story
from service.i18n.phrases import SENTENCES
from tests.engine.lockstep import lagoon_index, new_game
from tests.games.game_logs import LAGOON, play_game
from tests.games.game_logs import new_game as waiting_game
from tools import catalogues as catalogue_tool

TRANSLATED = [language for language in LANGUAGES if language != ENGLISH]


@pytest.fixture
def copied_catalogues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the catalogues, which the tool works on."""
    copied = copytree(catalogue_tool.CATALOGUES, tmp_path / "catalogues")
    monkeypatch.setattr(catalogue_tool, "CATALOGUES", copied)
    return copied


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_message_is_translated_and_compiled(language: str) -> None:
    assert list(catalogue_tool.list_faults(language)) == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_catalogue_is_as_the_tool_writes_it(language: str, copied_catalogues: Path) -> None:
    before = (copied_catalogues / f"{language}.po").read_text("utf-8")
    catalogue_tool.update_catalogue(language)
    assert (copied_catalogues / f"{language}.po").read_text("utf-8") == before


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    (
        ('msgstr "rouge"', 'msgstr ""', "untranslated: red"),
        ('msgstr "{player} gagne."', 'msgstr "{joueur} gagne."', "other placeholders: {player} wins."),
        ('msgid "{player} wins."', 'msgid "{player} loses."', "obsolete: {player} loses."),
        ('msgid "{player} wins."', 'msgid "{player} loses."', "missing: {player} wins."),
        ('#, python-brace-format\nmsgid "{player} wins."', '#, fuzzy\nmsgid "{player} wins."', "fuzzy: {player} wins."),
        ('msgstr "rouge"', 'msgstr "rose"', "the compiled catalogue is outdated"),
        ('"La partie a été annulée."', "\"L'arbitre l'a annulée !\"", "typography: The game was aborted."),
        ("plural=(n > 1)", "plural=(n != 1)", "the plural forms are not those of fr"),
    ),
)
def test_the_check_reports_faults(old: str, new: str, fault: str, copied_catalogues: Path) -> None:
    catalogue = copied_catalogues / "fr.po"
    text = catalogue.read_text("utf-8")
    assert old in text
    catalogue.write_text(text.replace(old, new), "utf-8")
    assert fault in list(catalogue_tool.list_faults("fr"))


def test_the_command_repairs_and_reports_the_rest(
    copied_catalogues: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["i18n"])
    (copied_catalogues / "de.mo").write_bytes((copied_catalogues / "fr.mo").read_bytes())
    assert (catalogue_tool.main(), list(catalogue_tool.list_faults("de"))) == (0, [])
    catalogue = copied_catalogues / "fr.po"
    catalogue.write_text(catalogue.read_text("utf-8").replace('"rouge"', '""'), "utf-8")
    monkeypatch.setattr("sys.argv", ["i18n", "--check"])
    assert catalogue_tool.main() == 1
    assert capsys.readouterr().err.startswith("fr: untranslated: red\n")


def test_translators_type_plain_signs_and_the_command_sets_those_of_the_language(copied_catalogues: Path) -> None:
    for language, typed, typeset in (
        ("fr", "L'arbitre - il l'a dit... : « non » !", "L’arbitre – il l’a dit…\u202f: «\u202fnon\u202f»\u202f!"),
        ("de", "So geht's - Karte: ja!", "So geht’s – Karte: ja!"),
    ):
        catalogue = copied_catalogues / f"{language}.po"
        lines = catalogue.read_text("utf-8").splitlines()
        number = lines.index('msgid "The game was aborted."')
        lines[number + 1] = f'msgstr "{typed}"'
        catalogue.write_text("\n".join(lines), "utf-8")
        catalogue_tool.update_catalogue(language)
        assert f'msgstr "{typeset}"' in catalogue.read_text("utf-8")


def test_no_text_has_straight_quotes_or_lacks_a_space_before_its_punctuation() -> None:
    for language in TRANSLATED:
        for ids, forms in catalogue_tool.translations(catalogue_tool.read_catalogue(language)).items():
            written = forms if ids[0] in catalogue_tool.problem_messages() else (*ids, *forms)
            assert not any('"' in text for text in written)
            assert language != "fr" or not any(re.search(r"[^\u202f][:;!?](\s|$)", text) for text in forms)


def test_a_new_language_starts_untranslated(copied_catalogues: Path) -> None:
    (copied_catalogues / "fr.po").unlink()
    catalogue_tool.update_catalogue("fr")
    assert "untranslated: red" in list(catalogue_tool.list_faults("fr"))


def test_values_are_inserted_unchanged() -> None:
    for language in LANGUAGES:
        assert "{0} %s *Ana*" in get_translator(language).gettext("{player} wins.", player="{0} %s *Ana*")


@pytest.mark.parametrize(
    ("number", "english", "french", "german"),
    ((1, "Ana", "Ana", "Ana"), (2, "Ana and Bo", "Ana et Bo", "Ana und Bo"), (0, "", "", "")),
)
def test_lists_are_joined(number: int, english: str, french: str, german: str) -> None:
    parts = ["Ana", "Bo"][:number]
    assert [get_translator(language).join_list(parts) for language in LANGUAGES] == [english, french, german]


@pytest.mark.parametrize(
    ("language", "placed", "undone"),
    (
        ("en", "{player} places a tile {place}.", "{player} puts the islander back {place}."),
        ("fr", "{player} pose une tuile {place}.", "{player} replace l’insulaire {place}."),
        ("de", "{player} legt eine Karte {place}.", "{player} lässt den Insulaner {place} doch stehen."),
    ),
)
def test_the_page_has_the_same_sentences_without_tiles(language: str, placed: str, undone: str) -> None:
    written = (catalogue_tool.PAGE_SENTENCES / f"{language}.json").read_text("utf-8")
    page = json.loads(written)
    assert written == catalogue_tool.page_sentences(language)
    assert (page["tile_placed"], page["move_undone.retrieved"]) == (placed, undone)
    assert page.keys() - SENTENCES.keys() == {"place", "place.start"} | {
        *(f"place.{edge}.{form}" for edge in EDGES for form in ("one", "other")),
        *("place.both.e", "place.both.w"),
    }
    assert not set(re.findall(r"\{\w+\}", written)) & {"{tile}", "{segment}"}


TABLES = lagoon_index()
AT = "2026-11-21T21:00:00Z"


def make_change(version: int, *events: AnyEvent, move: str | None = None) -> LoggedChange:
    return LoggedChange(version=version, at=AT, seat=0, move=move, by="seat", events=list(events))


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
            make_change(6, GameResumed(), TurnStarted(number=2, seat=1), move="pass.deliver"),
            make_change(7, TurnTimedOut(seat=0, policy="pass"), TurnStarted(number=3, seat=1), move="pass.islander"),
        ],
        1,
    )
    assert [line.text for line in received] == [
        "Ana places no islander.",
        "The game goes on. Ana delivers nothing. It is Bo’s turn.",
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

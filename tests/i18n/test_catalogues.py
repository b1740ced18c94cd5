"""The catalogues: complete, with equal placeholders, and compiled."""

import json
import re
from pathlib import Path
from shutil import copytree

import pytest

from schemas.vocabulary import EDGES
from service.i18n import ENGLISH, LANGUAGES, get_translator
from service.i18n.phrases import SENTENCES
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
    assert catalogue_tool.main() == 0
    assert list(catalogue_tool.list_faults("de")) == []
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
            assert not any('"' in text for text in (*ids, *forms))
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

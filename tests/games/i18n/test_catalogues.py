"""The catalogues: whole, with the same placeholders everywhere, and compiled as they stand."""

import json
from pathlib import Path
from shutil import copytree

import pytest

from service.games.i18n import ENGLISH, LANGUAGES, get_translator
from service.games.i18n import __main__ as tool

TRANSLATED = [language for language in LANGUAGES if language != ENGLISH]


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the catalogues, which the tool works on."""
    copied = copytree(tool.CATALOGUES, tmp_path / "catalogues")
    monkeypatch.setattr(tool, "CATALOGUES", copied)
    return copied


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_message_is_translated_and_compiled(language: str) -> None:
    assert list(tool.list_faults(language)) == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_catalogue_is_as_the_tool_writes_it(language: str, elsewhere: Path) -> None:
    before = (elsewhere / f"{language}.po").read_text("utf-8")
    tool.update_catalogue(language)
    assert (elsewhere / f"{language}.po").read_text("utf-8") == before


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    (
        ('msgstr "rouge"', 'msgstr ""', "untranslated: red"),
        ('msgstr "{player} gagne."', 'msgstr "{joueur} gagne."', "other placeholders: {player} wins."),
        ('msgid "{player} wins."', 'msgid "{player} loses."', "obsolete: {player} loses."),
        ('msgid "{player} wins."', 'msgid "{player} loses."', "missing: {player} wins."),
        ('#, python-brace-format\nmsgid "{player} wins."', '#, fuzzy\nmsgid "{player} wins."', "fuzzy: {player} wins."),
        ('msgstr "rouge"', 'msgstr "rose"', "the compiled catalogue is outdated"),
        ("plural=(n > 1)", "plural=(n != 1)", "the plural forms are not those of fr"),
    ),
)
def test_the_check_finds(old: str, new: str, fault: str, elsewhere: Path) -> None:
    catalogue = elsewhere / "fr.po"
    text = catalogue.read_text("utf-8")
    assert old in text
    catalogue.write_text(text.replace(old, new), "utf-8")
    assert fault in list(tool.list_faults("fr"))


def test_the_command_mends_what_it_can_and_says_what_is_left(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["i18n"])
    (elsewhere / "de.mo").write_bytes((elsewhere / "fr.mo").read_bytes())
    assert tool.main() == 0
    assert list(tool.list_faults("de")) == []
    catalogue = elsewhere / "fr.po"
    catalogue.write_text(catalogue.read_text("utf-8").replace('"rouge"', '""'), "utf-8")
    monkeypatch.setattr("sys.argv", ["i18n", "--check"])
    assert tool.main() == 1
    assert capsys.readouterr().err.startswith("fr: untranslated: red\n")


def test_a_language_without_catalogue_begins_with_nothing_translated(elsewhere: Path) -> None:
    (elsewhere / "fr.po").unlink()
    tool.update_catalogue("fr")
    assert "untranslated: red" in list(tool.list_faults("fr"))


def test_values_are_put_in_as_they_are() -> None:
    for language in LANGUAGES:
        assert "{0} %s *Ana*" in get_translator(language).gettext("{player} wins.", player="{0} %s *Ana*")


@pytest.mark.parametrize(
    ("number", "english", "french", "german"),
    ((1, "Ana", "Ana", "Ana"), (2, "Ana and Bo", "Ana et Bo", "Ana und Bo"), (0, "", "", "")),
)
def test_things_in_a_row(number: int, english: str, french: str, german: str) -> None:
    parts = ["Ana", "Bo"][:number]
    assert [get_translator(language).join_list(parts) for language in LANGUAGES] == [english, french, german]


def test_the_page_has_the_same_sentences_without_cells() -> None:
    page = json.loads(tool.PAGE_SENTENCES.read_text("utf-8"))
    assert tool.PAGE_SENTENCES.read_text("utf-8") == tool.page_sentences()
    assert page["tile_placed"] == "{player} places {tile}."
    assert not [sentence for sentence in page.values() if "{x}" in sentence]

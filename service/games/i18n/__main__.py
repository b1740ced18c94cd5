"""Bring the catalogues up to date with the source, and the page's sentences: `python -m service.games.i18n [--check]`.

A catalogue is a `.po` file, which translators edit, and the `.mo` file made of it, which the service reads. With
`--check` nothing is written: it fails where a message is missing, left over, fuzzy or has other placeholders than the
English one, or where a compiled catalogue is not what its source says. Needs Babel, a development package.
"""

import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po

from service.games.i18n.catalogue import ENGLISH, LANGUAGES
from service.games.i18n.sentences import SENTENCES

SOURCE = Path(__file__).parent
CATALOGUES = SOURCE / "catalogues"
KEYWORDS = {"gettext": None, "gettext_noop": None, "ngettext": (1, 2)}
PAGE_SENTENCES = SOURCE.parents[2] / "clients/page/src/messages/sentences.json"
CELL = re.compile(r" (at|from) \(\{x\}, \{y\}\)")
PLACEHOLDER = re.compile(r"\{(\w+)\}")
WRITTEN = datetime(2026, 1, 1, tzinfo=UTC)
"""The same in every run: a catalogue changes with its messages, not with the day."""

HEADER = """\
# Texts of the South Seas service.
# The English message is the key; what stands in braces stays as it is. After editing: python -m service.games.i18n
"""

Translations = dict[tuple[str, ...], tuple[str, ...]]
"""By the English message (singular and plural), every form of the translation."""


def extract_messages() -> Catalog:
    """Every message of the source."""
    catalog = Catalog(charset="utf-8")
    for name, _, message, _, context in extract_from_dir(SOURCE, keywords=KEYWORDS):
        catalog.add(message, locations=[(name, 0)], context=context)
    return catalog


def read_catalogue(language: str) -> Catalog:
    """The catalogue that translators edit."""
    with (CATALOGUES / f"{language}.po").open("rb") as source:
        return read_po(source, locale=language)


def read_compiled(language: str) -> Catalog:
    """The catalogue that the service reads."""
    with (CATALOGUES / f"{language}.mo").open("rb") as source:
        return read_mo(source)


def update_catalogue(language: str) -> None:
    """Take new messages in, drop those that are gone, and compile."""
    path = CATALOGUES / f"{language}.po"
    known = {_tuple(message.id): message.string for message in read_catalogue(language)} if path.exists() else {}
    catalog = Catalog(
        locale=language,
        project="South Seas",
        version="1",
        header_comment=HEADER,
        creation_date=WRITTEN,
        revision_date=WRITTEN,
        charset="utf-8",
        fuzzy=False,
    )
    catalog.msgid_bugs_address = catalog.last_translator = catalog.language_team = ""
    for message in extract_messages():
        if message.id:
            catalog.add(message.id, known.get(_tuple(message.id), ""), message.locations, message.flags)
    source, made = BytesIO(), BytesIO()
    write_po(source, catalog, width=120, include_lineno=False)
    write_mo(made, catalog)
    path.write_bytes(source.getvalue())
    path.with_suffix(".mo").write_bytes(made.getvalue())


def list_faults(language: str) -> Iterator[str]:
    """What is wrong with a language's catalogue."""
    catalog = read_catalogue(language)
    there, wanted = translations(catalog), translations(extract_messages())
    yield from (f"missing: {' / '.join(ids)}" for ids in wanted.keys() - there.keys())
    yield from (f"left over: {' / '.join(ids)}" for ids in there.keys() - wanted.keys())
    yield from (f"fuzzy: {message.id}" for message in catalog if message.id and message.fuzzy)
    for ids, forms in there.items():
        yield from _message_faults(ids, forms, catalog.num_plurals if len(ids) > 1 else 1)
    if catalog.plural_expr != Catalog(locale=Locale.parse(language)).plural_expr:
        yield f"the plural forms are not those of {language}"
    if translations(read_compiled(language)) != there:
        yield "the compiled catalogue is not that of its source"


def _message_faults(ids: tuple[str, ...], forms: tuple[str, ...], expected: int) -> Iterator[str]:
    name = " / ".join(ids)
    if len(forms) != expected or not all(forms):
        yield f"untranslated: {name}"
    if any(set(PLACEHOLDER.findall(form)) != set(PLACEHOLDER.findall(ids[0])) for form in (*ids, *forms)):
        yield f"other placeholders: {name}"


def translations(catalog: Catalog) -> Translations:
    """What a catalogue says, without where and by whom."""
    return {_tuple(message.id): _tuple(message.string) for message in catalog if message.id}


def _tuple(said: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...]:
    return (said,) if isinstance(said, str) else tuple(said or ())


def page_sentences() -> str:
    """What happened in English as the page has it: it shows on the board where that was."""
    return json.dumps({key: CELL.sub("", sentence) for key, sentence in SENTENCES.items()}, indent=2) + "\n"


def main() -> int:
    """The command."""
    translated = [language for language in LANGUAGES if language != ENGLISH]
    if "--check" not in sys.argv[1:]:
        for language in translated:
            update_catalogue(language)
        PAGE_SENTENCES.write_text(page_sentences())
    wrong = [f"{language}: {fault}" for language in translated for fault in list_faults(language)]
    if PAGE_SENTENCES.read_text() != page_sentences():
        wrong.append(f"{PAGE_SENTENCES.name} does not have the sentences of the source")
    sys.stderr.writelines(f"{fault}\n" for fault in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

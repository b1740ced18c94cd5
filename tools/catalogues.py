"""Write the catalogues, and the page's sentences: `python -m tools.catalogues [--check]`.

A catalogue is a `.po` file, which translators edit, and the `.mo` file compiled from it, which the service reads.
Translators type plain apostrophes and spaces; the command sets the signs that the language wants.
`--check` writes nothing and fails if a message is missing, obsolete, fuzzy, not typeset or has other placeholders than
the English one, or if a compiled catalogue is outdated.
"""

import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import get_args

from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po

from schemas.vocabulary import COLORS, EDGES, STATUSES, Phase
from service.engine.placement import EDGE_NAMES, SIDE_NAMES
from service.engine.tileset_index import FEATURE_KINDS
from service.games import errors as games
from service.games import ports
from service.games.errors import ServiceError
from service.i18n.phrases import COUNTS, ENGLISH, LANGUAGES, SENTENCES, TEXTS
from service.web import problems

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "service/i18n"
CATALOGUES = SOURCE / "catalogues"
KEYWORDS = {"gettext": None, "ngettext": (1, 2)}
DETAIL_KEYWORDS = {"Message": None, "InvalidName": None, "IllegalMove": (2,)}
PAGE_SENTENCES = ROOT / "clients/page/src/messages/sentences"
SHOWN = re.compile(r"\s?: \{tile\}")
"""What the page's sentences do without, as its board shows it."""
SEEN = re.compile(r"turn_started|tile_drawn|islander_returned\.(?!market).*")
"""The sentences that the page does without: its bar and its board show what they say."""
PLACEHOLDER = re.compile(r"\{(\w+)\}")
TYPOGRAPHY = ((re.compile("'"), "’"), (re.compile(r"\.{3}"), "…"), (re.compile(r" - "), " – "))
FRENCH_TYPOGRAPHY = (re.compile("[ \u00a0](?=[:;!?»])|(?<=«)[ \u00a0]"), "\u202f")
"""No line breaks at these spaces, which are narrow."""
CREATION_DATE = datetime(2026, 1, 1, tzinfo=UTC)
"""Constant: a catalogue changes with its messages, not with the day."""

HEADER = """\
# Texts of the South Seas service.
# The English message is the key; keep placeholders in braces unchanged.
# After editing: python -m tools.catalogues
"""

Translations = dict[tuple[str, ...], tuple[str, ...]]
"""English message (singular and plural) -> every form of the translation."""


def extract_messages() -> Catalog:
    """Return every message of the source."""
    catalog = Catalog(charset="utf-8")
    for name, _, message, _, context in extract_from_dir(SOURCE, keywords=KEYWORDS):
        catalog.add(message, locations=[(name, 0)], context=context)
    messages: list[str | tuple[str, ...]] = [*TEXTS.values(), *COUNTS.values()]
    for ids in messages:
        catalog.add(ids, locations=[("messages.json", 0)])
    for detail in sorted(problem_messages()):
        catalog.add(detail, locations=[("problems", 0)])
    return catalog


@cache
def problem_messages() -> frozenset[str]:
    """Return what details of problems are made of: the texts of errors, and the messages and words in them."""
    errors = [ServiceError, *(kind for kind in vars(problems).values() if isinstance(kind, type))]
    errors += (kind for module in (games, ports) for kind in vars(module).values() if isinstance(kind, type))
    texts = {error.text for error in errors if issubclass(error, ServiceError)}
    for part in ("schemas", "service/engine", "service/games", "service/web"):
        found = extract_from_dir(ROOT / part, keywords=DETAIL_KEYWORDS)
        texts |= {message for _, _, message, _, _ in found if isinstance(message, str)}
    words = {*get_args(Phase), *STATUSES, *SIDE_NAMES, *EDGE_NAMES, *COLORS}
    counted = {one for one, _ in COUNTS.values()}
    return frozenset({text for text in texts if not PLACEHOLDER.fullmatch(text)} | words - counted)


def read_catalogue(language: str) -> Catalog:
    """Return the catalogue that translators edit."""
    with (CATALOGUES / f"{language}.po").open("rb") as source:
        return read_po(source, locale=language)


def read_compiled(language: str) -> Catalog:
    """Return the catalogue that the service reads."""
    with (CATALOGUES / f"{language}.mo").open("rb") as source:
        return read_mo(source)


def update_catalogue(language: str) -> None:
    """Add new messages, remove obsolete ones, and compile."""
    path = CATALOGUES / f"{language}.po"
    previous = translations(read_catalogue(language)) if path.exists() else {}
    catalog = Catalog(
        locale=language,
        project="South Seas",
        version="1",
        header_comment=HEADER,
        creation_date=CREATION_DATE,
        revision_date=CREATION_DATE,
        charset="utf-8",
        fuzzy=False,
    )
    catalog.msgid_bugs_address = catalog.last_translator = catalog.language_team = ""
    for message in extract_messages():
        if message.id:
            forms = _typeset_all(language, previous.get(_tuple(message.id), ()))
            translation = forms if message.pluralizable else "".join(forms)
            catalog.add(message.id, translation, message.locations, message.flags)
    source, compiled = BytesIO(), BytesIO()
    write_po(source, catalog, width=120, include_lineno=False)
    write_mo(compiled, catalog)
    path.write_bytes(source.getvalue())
    path.with_suffix(".mo").write_bytes(compiled.getvalue())


def typeset(language: str, text: str) -> str:
    """Return a text with the language's apostrophes, dashes and spaces."""
    for pattern, sign in (*TYPOGRAPHY, *([FRENCH_TYPOGRAPHY] if language == "fr" else [])):
        text = pattern.sub(sign, text)
    return text


def _typeset_all(language: str, forms: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(typeset(language, form) for form in forms)


def list_faults(language: str) -> Iterator[str]:
    """Yield the faults of a language's catalogue."""
    catalog = read_catalogue(language)
    existing, required = translations(catalog), translations(extract_messages())
    yield from (f"missing: {' / '.join(ids)}" for ids in required.keys() - existing.keys())
    yield from (f"obsolete: {' / '.join(ids)}" for ids in existing.keys() - required.keys())
    yield from (f"fuzzy: {message.id}" for message in catalog if message.id and message.fuzzy)
    for ids, forms in existing.items():
        yield from _message_faults(ids, forms, catalog.num_plurals if len(ids) > 1 else 1)
        if (ids[0] not in problem_messages() and _typeset_all(ENGLISH, ids) != ids) or _typeset_all(
            language, forms
        ) != forms:
            yield f"typography: {' / '.join(ids)}"
    if catalog.plural_expr != Catalog(locale=Locale.parse(language)).plural_expr:
        yield f"the plural forms are not those of {language}"
    if translations(read_compiled(language)) != existing:
        yield "the compiled catalogue is outdated"


def _message_faults(ids: tuple[str, ...], forms: tuple[str, ...], expected: int) -> Iterator[str]:
    name = " / ".join(ids)
    if len(forms) != expected or not all(forms):
        yield f"untranslated: {name}"
    optional = {"number"} if len(ids) > 1 else set()  # "island tip" is one
    if ids[0] in problem_messages():
        optional = _placeholders(ids[0])  # a player need not read what a program's author needs
    if any(_placeholders(form) - optional != _placeholders(ids[0]) - optional for form in (*ids, *forms)):
        yield f"other placeholders: {name}"


def _placeholders(message: str) -> set[str]:
    return set(PLACEHOLDER.findall(message))


def translations(catalog: Catalog) -> Translations:
    """Return a catalogue's translations without locations and metadata."""
    return {_tuple(message.id): _tuple(message.string) for message in catalog if message.id}


def _tuple(value: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value or ())


def page_sentences(language: str) -> str:
    """Return the page's sentences in a language, without tiles, and its phrases for places."""
    translated = {} if language == ENGLISH else translations(read_catalogue(language))

    def translate(message: str) -> str:
        (translation,) = translated.get((message,), (message,))
        return translation

    told = {key: sentence for key, sentence in SENTENCES.items() if not SEEN.fullmatch(key)}
    sentences = {key: SHOWN.sub("", translate(sentence)) for key, sentence in told.items()}
    for kind in FEATURE_KINDS:
        key = f"islander_placed.{kind}"
        sentences[key] = sentences[key].format(player="{player}", segment=translate(TEXTS[f"segment.{kind}"]))
    sentences |= {key: translate(TEXTS[key]) for key in ("place.start", "place")}
    for edge in EDGES:
        ids = COUNTS[f"distance.{edge}"]
        forms = zip(("one", "other"), translated.get(ids, ids), strict=True)
        sentences |= {f"place.{edge}.{name}": form for name, form in forms}
    sentences |= {key: translate(TEXTS[key]) for key in ("place.both.e", "place.both.w")}
    return json.dumps(sentences, indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    """Run the command."""
    translated = [language for language in LANGUAGES if language != ENGLISH]
    if "--check" not in sys.argv[1:]:
        for language in translated:
            update_catalogue(language)
        for language in LANGUAGES:
            (PAGE_SENTENCES / f"{language}.json").write_text(page_sentences(language), "utf-8")
    wrong = [f"{language}: {fault}" for language in translated for fault in list_faults(language)]
    for language in LANGUAGES:
        path = PAGE_SENTENCES / f"{language}.json"
        if not path.exists() or path.read_text("utf-8") != page_sentences(language):
            wrong.append(f"{path.name} does not have the sentences of the source")
    sys.stderr.writelines(f"{fault}\n" for fault in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

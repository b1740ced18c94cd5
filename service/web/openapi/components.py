"""JSON Schemas of the contract's Structs, for the documents that describe the service.

msgspec makes them; here they get what the contract promises besides: an answer has every field, may have more one day,
and its enumerations may grow; numbers are int32; names are those of the Structs.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import msgspec

from schemas.base import RequestModel
from schemas.vocabulary import EDGES

__all__ = ["REF", "Schema", "components", "paragraphs", "transformed", "without"]

Schema = dict[str, Any]

REF = "#/components/schemas/"

_GENERIC = re.compile(r"^(\w+?)_\w+_$")
"""`Acted_Diff_` is what msgspec makes of `ActionResult[Diff]`."""


def components(types: Iterable[Any]) -> tuple[list[Schema], dict[str, Schema]]:
    """The schema of each of these types, and those of all Structs in them, by name in alphabetical order."""
    schemas, found = msgspec.json.schema_components(types, ref_template=REF + "{name}")
    structs = {struct.__name__: struct for struct in _subclasses(msgspec.Struct) if _is_told(struct)}
    named: dict[str, Schema] = {}
    for name in sorted(found, key=_tidy_name):
        struct = structs[_tidy_name(name)]
        tidy = (_request if issubclass(struct, RequestModel) else _answer)(found[name])
        named[_tidy_name(name)] = _with_field_docs(tidy, struct)
    return [transformed(schema, _tidy) for schema in schemas], named


def _is_told(struct: type[msgspec.Struct]) -> bool:
    """Whether it is of the contract, or a query's: others may have the same names."""
    return struct.__module__.startswith("schemas.") or issubclass(struct, RequestModel)


def _subclasses(struct: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for one in struct.__subclasses__():
        yield one
        yield from _subclasses(one)


def _with_field_docs(schema: Schema, struct: type[msgspec.Struct]) -> Schema:
    """The same with what is written under each field of the Struct, in the place of what its type says."""
    for base in struct.__mro__:
        for field, text in _field_docs(base).items():
            schema["properties"][field]["description"] = text
    return schema


@cache
def _field_docs(struct: type) -> dict[str, str]:
    """The strings under a class's fields, which Python itself forgets."""
    if not issubclass(struct, msgspec.Struct) or struct is msgspec.Struct:
        return {}
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(struct))).body
    assert isinstance(definition, ast.ClassDef)  # noqa: S101 (the source of a class is one)
    docs: dict[str, str] = {}
    for statement, following in pairwise(definition.body):
        match statement, following:
            case ast.AnnAssign(target=ast.Name(id=field)), ast.Expr(value=ast.Constant(value=str(text))):
                docs[field] = paragraphs(text)
            case _:
                continue
    return docs


def _request(schema: Schema) -> Schema:
    """A request's Struct: it takes no unknown field, and null for absent."""
    tidy: Schema = transformed(schema, _tidy)
    if not tidy.get("required"):
        tidy.pop("required", None)
    return tidy


def _answer(schema: Schema) -> Schema:
    """An answer's Struct: every field is there, others may come, and enumerations may grow."""
    tidy: Schema = transformed(transformed(schema, _tidy), _opened)
    tidy.pop("additionalProperties", None)
    if tidy.get("properties"):
        tidy["required"] = list(tidy["properties"])
        for member in tidy["properties"].values():
            member.pop("default", None)
    return tidy


def transformed(schema: Any, change: Callable[[Schema], Schema]) -> Any:
    """The same with every object in it changed, the inner ones first."""
    match schema:
        case dict():
            return change({name: transformed(value, change) for name, value in schema.items()})
        case list():
            return [transformed(item, change) for item in schema]
        case _:
            return schema


def _tidy(schema: Schema) -> Schema:
    """The same with a tidy name, text and type."""
    match schema:
        case {"$ref": str(ref)}:
            return {**schema, "$ref": REF + _tidy_name(ref.removeprefix(REF))}
        case {"type": "integer"}:
            return {**schema, "format": "int32"}
        case {"enum": [str(tag)]}:
            return {**without(schema, "enum"), "type": "string", "const": tag}
        case {"enum": [int(), *_]}:
            return {**schema, "type": "integer", "format": "int32"}
        case {"enum": list()}:
            return {**schema, "type": "string"}
        case {"title": str(), "description": str(text)}:
            return {**without(schema, "title"), "description": paragraphs(text)}
        case _:
            return schema


def _opened(schema: Schema) -> Schema:
    """The same with an enumeration that may grow; the four edges never do."""
    match schema:
        case {"enum": list(values)} if not {*values} <= {*EDGES}:
            return {**without(schema, "enum"), "examples": values}
        case _:
            return schema


def without(schema: Schema, name: str) -> Schema:
    """The same without one of its members."""
    return {key: value for key, value in schema.items() if key != name}


def paragraphs(text: str) -> str:
    """A docstring as it is meant: lines joined, paragraphs apart."""
    return "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n"))


def _tidy_name(name: str) -> str:
    found = _GENERIC.match(name)
    return found[1] if found else name

"""Decoding of responses from newer and older services.

A newer service may send fields, enumeration values, events, actions and messages that this client does not know.
Unknown fields are dropped, unknown values pass through, and `Unknown` takes the place of an unknown Struct. A field
that an older service does not send is null, if its type allows that.
"""

from contextlib import suppress
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

__all__ = ["DecodingError", "Unknown", "convert", "decode"]

T = TypeVar("T")


class Unknown(msgspec.Struct, frozen=True):
    """An event, action or message of a type that this client does not know."""

    type: str
    document: dict[str, Any]
    """The decoded JSON."""


class DecodingError(Exception):
    """A document that does not match its type; `path` leads to the first mismatch."""

    def __init__(self, path: str) -> None:
        super().__init__(f"unexpected at {path}")
        self.path = path


def decode(content: bytes | str, kind: type[T]) -> T:
    """Decode JSON; raise DecodingError if it does not match the type.

    >>> from south_seas.models import ShipRevealed, TileDrawn
    >>> decode('[{"type": "ship_revealed", "ship": "s01"}, {"type": "storm"}]', list[ShipRevealed | TileDrawn])
    [ShipRevealed(ship='s01'), Unknown(type='storm', document={'type': 'storm'})]
    """
    try:
        try:
            return msgspec.json.decode(content, type=kind)
        except msgspec.ValidationError:
            document = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DecodingError("$") from error
    return convert(document, kind)


def convert(document: Any, kind: type[T]) -> T:
    """Convert decoded JSON; raise DecodingError if it does not match the type."""
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError:
        value: T = _convert(document, inspect.type_info(kind), "$")
        return value


SCALAR_TYPES: dict[type[inspect.Type], type] = {
    inspect.StrType: str,
    inspect.BoolType: bool,
    inspect.IntType: int,
    inspect.FloatType: float,
    inspect.NoneType: type(None),
}


def _convert(value: Any, kind: inspect.Type, path: str) -> Any:
    match kind:
        case inspect.Metadata(type=inner):
            return _convert(value, inner, path)
        case inspect.StructType() if isinstance(value, dict):
            return _convert_struct(value, kind, path)
        case inspect.UnionType(types=kinds):
            return _convert_union(value, kinds, path)
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item) if isinstance(value, list):
            items = [_convert(one, item, f"{path}[{index}]") for index, one in enumerate(value)]
            return tuple(items) if isinstance(kind, inspect.VarTupleType) else items
        case inspect.DictType(value_type=item) if isinstance(value, dict):
            return {name: _convert(one, item, f"{path}.{name}") for name, one in value.items()}
        case inspect.LiteralType() if isinstance(value, str | int):
            return value
        case _ if isinstance(kind, inspect.AnyType) or type(value) is SCALAR_TYPES.get(type(kind)):
            return value
        case _:
            raise DecodingError(path)


def _convert_struct(value: dict[str, Any], kind: inspect.StructType, path: str) -> Any:
    fields = {}
    for field in kind.fields:
        if field.encode_name in value:
            fields[field.name] = _convert(value[field.encode_name], field.type, f"{path}.{field.encode_name}")
        elif field.required:
            fields[field.name] = _convert(None, field.type, f"{path}.{field.encode_name}")
    return kind.cls(**fields)


def _convert_union(value: Any, kinds: tuple[inspect.Type, ...], path: str) -> Any:
    structs = [kind for kind in kinds if isinstance(kind, inspect.StructType)]
    if structs and isinstance(value, dict):
        for struct in structs:
            if struct.tag_field is None or value.get(struct.tag_field) == struct.tag:
                return _convert_struct(value, struct, path)
        return Unknown(str(value.get(structs[0].tag_field or "type")), value)
    for kind in kinds:
        with suppress(DecodingError):
            return _convert(value, kind, path)
    raise DecodingError(path)

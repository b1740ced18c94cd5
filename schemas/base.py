"""The base Structs of the API, and their encoding as JSON.

Responses have every field, null if empty. Requests reject unknown fields, and treat null as absent.
"""

import codecs
from typing import dataclass_transform

import msgspec


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class ResponseModel(msgspec.Struct, frozen=True, kw_only=True):
    """The base of what the service sends: every field is always present."""


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class RequestModel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of what clients send: unknown fields are rejected."""


class Query(RequestModel, frozen=True, forbid_unknown_fields=False):
    """Base of query parameters; most unknown names are ignored because later versions may define them."""


encode_json = msgspec.json.Encoder().encode
"""Encodes a value as JSON, fields in the order of their declaration."""

canonical_json = msgspec.json.Encoder(order="sorted").encode
"""Encodes a value in RFC 8785 form: sorted members, no whitespace. The API only has int32 numbers and strings."""


def without_bom(data: bytes) -> bytes:
    """Return JSON without the byte order mark that some editors and libraries write before it (RFC 8259, 8.1)."""
    return data.removeprefix(codecs.BOM_UTF8)


DECODING_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for data that is not what it should be; the last for members that are nested too deeply."""

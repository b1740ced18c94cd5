"""The two kinds of Struct that the contract is made of, and how each is encoded.

Answers carry every field, null where empty. Requests refuse fields that the contract does not name, and treat null as
absent.
"""

from typing import Any, dataclass_transform

import msgspec


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class ResponseModel(msgspec.Struct, frozen=True, kw_only=True):
    """Something that the service says: every field is always present."""


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class RequestModel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that a client asks: an unknown field is refused."""


def encode_json(value: Any) -> bytes:
    """Encode an answer as JSON bytes, fields in the order they are declared."""
    return _ENCODER.encode(value)


def canonical_json(value: Any) -> bytes:
    """Encode `value` in RFC 8785 form: members sorted, no white space. The contract holds only int32 and strings."""
    return _CANONICAL_ENCODER.encode(value)


_ENCODER = msgspec.json.Encoder()
_CANONICAL_ENCODER = msgspec.json.Encoder(order="sorted")

"""Access control: a game's tokens, which are stored as hashes only.

A token is HMAC-SHA256(secret, salt and role). The secret is the client's idempotency key, so that a retry of a creation
gets the same tokens, or else 256 random bits that are not stored.
"""

import base64
import hmac
import re
from collections import Counter
from hashlib import sha256
from itertools import pairwise
from math import log2

import msgspec

from schemas.vocabulary import Visibility
from service.games.errors import Malformed, NoSuchGame, NotOwner, Unauthorized, WrongSeat

SALT_BYTES = 16
OWNER = "owner"
SPECTATOR = "spectator"

MIN_SECRET_LENGTH = 32
"""Minimum length of a secret: 128 random bits as hexadecimal digits."""

MIN_ENTROPY_BITS = 60.0
"""As `_entropy_bits` estimates: 100,000 random secrets of 32 hexadecimal digits had 87 or more."""

MAX_STEP_SHARE = 0.75
"""Maximum share of characters that repeat the one before, or are next to it in the alphabet."""

_UUID = re.compile(r"[\da-f]{8}-[\da-f]{4}-(?P<version>[\da-f])[\da-f]{3}-[\da-f]{4}-[\da-f]{12}", re.IGNORECASE)
_RANDOM_UUID_VERSIONS = {"4", "7"}
"""Others are made of the time or of names (RFC 9562)."""
_HEXADECIMAL = re.compile(r"(?<![^\W_])[\da-f]{32,}(?![^\W_])", re.IGNORECASE)

_CAPITALISED = re.compile("[A-Z][a-z]{3,}")
_SURPRISE = re.compile(
    r"(?<=[a-z])(?=[A-Z\d])|(?<=[A-Z])(?=[a-z\d])|(?<=\d)(?=[A-Za-z])|"
    r"(?<=(?i:[b-df-hj-np-tv-xz]){3})(?=(?i:[b-df-hj-np-tv-xz]))|[^\w\s./:,;@#?&=+|-]"
)
"""Where a text goes on as words, numbers and dates hardly do: another kind of character, or a fourth consonant."""
MIN_SURPRISES = 7
"""Of 25,000 random secrets of 32 characters in base64, one had fewer; a text of two ISO times has 6."""


ACCESS_SCHEMA = 1
"""Version of the record's format."""


class SeatTag(msgspec.Struct, array_like=True, gc=False):
    """A seat's creator and external user, by which the creator lists the game."""

    creator: bytes
    """Hash of the creator's key."""
    user: str | None
    """The creator's name for the person in the seat."""


class AccessRecord(msgspec.Struct, array_like=True, gc=False):
    """A game's visibility, token hashes and index tags; changes when players join or leave, or a token is replaced."""

    visibility: Visibility
    salt: bytes
    owner: bytes
    spectator: bytes
    seats: list[bytes | None]
    """Hash of each seat's token; None for bots and open seats."""
    owner_seats: list[int]
    """Seats that were filled at creation; the owner's token acts for them."""
    tags: list[SeatTag | None]
    """One for each seat."""
    schema: int = ACCESS_SCHEMA
    creator: bytes | None = None
    """Hash of the creator's key, by which the creator lists the game."""
    api_key: str | None = None
    """Name of the API key with which the game was created, whose holder lists it."""


class Principal(msgspec.Struct, frozen=True):
    """Who sends a request, as their token says: the owner, a seat, a spectator, or nobody without a token."""

    role: str | None
    seat: int | None = None
    actor: str = "seat"
    """What a diff's `by` says of what they do: `owner` or `seat`."""


NOBODY = Principal(None)


def derive_token(secret: bytes, salt: bytes, role: str) -> str:
    """Return a role's token: 256 bits, URL-safe."""
    return base64.urlsafe_b64encode(hmac.digest(secret, salt + role.encode(), "sha256")).rstrip(b"=").decode()


def seat_role(seat: int) -> str:
    """Return the role of a seat's token."""
    return f"seat.{seat}"


def hash_token(token: str) -> bytes:
    """Return the hash of a token, as it is stored."""
    return sha256(token.encode()).digest()


def index_keys(access: AccessRecord) -> list[str]:
    """Return the keys under which a game is indexed: tokens, creators' keys and users, and the API key."""
    hashes = [access.owner, *access.seats, access.creator, *(tag.creator for tag in access.tags if tag is not None)]
    users = [index_key(tag.creator, tag.user) for tag in access.tags if tag is not None and tag.user is not None]
    api_keys = [] if access.api_key is None else [subject_of_key(access.api_key)]
    return list(dict.fromkeys([*(index_key(one, None) for one in hashes if one is not None), *users, *api_keys]))


def index_key(digest: bytes, user: str | None) -> str:
    """Return the index key of a token's or a creator's hash, and of one of the creator's users."""
    return digest.hex() if user is None else f"{digest.hex()}:{user}"


encode_access = msgspec.msgpack.Encoder().encode
"""Encodes a record as it is stored."""


def decode_access(record: bytes) -> AccessRecord:
    """Decode a stored record. Raises `msgspec.DecodeError` if it is damaged, or was written by a later release."""
    access = _DECODER.decode(record)
    if access.schema > ACCESS_SCHEMA:
        raise msgspec.DecodeError(f"it has schema {access.schema}, of a later release")
    return access


def authenticate(access: AccessRecord, token: str) -> Principal | None:
    """Return who a token stands for, None for an unknown one. Compares every hash in constant time."""
    digest = hash_token(token)
    principal: Principal | None = None
    if hmac.compare_digest(access.owner, digest):
        principal = _OWNER
    if hmac.compare_digest(access.spectator, digest):
        principal = _SPECTATOR
    for seat, stored in enumerate(access.seats):
        if stored is not None and hmac.compare_digest(stored, digest):
            principal = Principal(f"seat.{seat}", seat)
    return principal


def authorize_read(access: AccessRecord, game: str, token: str | None) -> Principal:
    """Return who reads.

    Raises NoSuchGame for a private game without one of its tokens, Unauthorized for an unknown token.
    """
    principal = NOBODY if token is None else authenticate(access, token)
    if access.visibility == "private" and (principal is None or principal.role is None):
        raise NoSuchGame(game)
    if principal is None:
        raise Unauthorized(missing=False)
    return principal


def authorize_action(access: AccessRecord, game: str, token: str | None) -> Principal:
    """Return who acts. Raises NoSuchGame, or Unauthorized without a token or for an unknown one."""
    principal = None if token is None else authenticate(access, token)
    if principal is None:
        authorize_read(access, game, token)
        raise Unauthorized(missing=True)
    return principal


def authorize_owner(access: AccessRecord, game: str, token: str | None) -> Principal:
    """Return the owner. Raises NotOwner for another of the game's tokens, and what `authorize_action` does."""
    principal = authorize_action(access, game, token)
    if principal.role != OWNER:
        raise NotOwner
    return principal


def authorize_operator(_access: AccessRecord, _game: str, _token: str | None) -> Principal:
    """Return the owner, for whom the operator of the store acts without a token."""
    return _OWNER


def authorize_owner_or_player(access: AccessRecord, game: str, token: str | None) -> Principal:
    """Return the owner or a player. Raises NotOwner for the spectators' token, and what `authorize_action` does."""
    principal = authorize_action(access, game, token)
    if principal.role == SPECTATOR:
        raise NotOwner
    return principal


def resolve_seat(
    access: AccessRecord, principal: Principal, requested: int | None, default: int | None, index: int | None = None
) -> int:
    """Return the seat that acts: the requested one, else the token's, else (for the owner's token) the default.

    Raises WrongSeat where the token does not act for it, Malformed where the owner's token must name it.
    """
    if principal.role == OWNER:
        seat = default if requested is None else requested
        if seat is None:
            raise Malformed("the owner's token acts for several seats: name one", "$.seat")
        if seat not in access.owner_seats:
            raise WrongSeat(seat, index)
        return seat
    if principal.seat is None or requested not in (None, principal.seat):
        raise WrongSeat(requested, index)
    return principal.seat


def is_guessable(secret: str) -> bool:
    """Return whether a secret may not be random: it repeats itself, counts, or consists of words, numbers and dates.

    >>> is_guessable("tides-and-islands-" * 3), is_guessable("discord-message-1234567890123456789")
    (True, True)
    >>> is_guessable("6e2f0c9b8d4a7153f0e1d2c3b4a59687"), is_guessable("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    (False, False)
    """
    if len(secret) < MIN_SECRET_LENGTH:
        return True
    steps = sum(abs(ord(one) - ord(other)) <= 1 for one, other in pairwise(secret))
    if steps > MAX_STEP_SHARE * (len(secret) - 1) or _entropy_bits(secret) < MIN_ENTROPY_BITS:
        return True
    numbers = [uuid[0] for uuid in _UUID.finditer(secret) if uuid["version"] in _RANDOM_UUID_VERSIONS]
    numbers += _HEXADECIMAL.findall(secret)
    if any(sum(map(str.isalpha, number)) > 1 for number in numbers):
        return False
    rest = _CAPITALISED.sub(lambda word: word[0].lower(), _UUID.sub("", secret))
    return len(_SURPRISE.findall(rest)) < MIN_SURPRISES


def _entropy_bits(text: str) -> float:
    """Estimate a text's entropy in bits (Shannon): repeated sequences of three characters add nothing.

    >>> _entropy_bits("abcdefgh"), _entropy_bits("abababab")
    (24.0, 4.0)
    """
    share = -sum(number * log2(number / len(text)) for number in Counter(text).values()) / len(text)
    return share * (2 + len({text[start : start + 3] for start in range(len(text) - 2)}))


_OWNER = Principal(OWNER, actor=OWNER)
_SPECTATOR = Principal(SPECTATOR)
_DECODER = msgspec.msgpack.Decoder(AccessRecord)


_KEY_PREFIX = "key."
"""No game's id has a full stop."""


def subject_of_key(name: str) -> str:
    """Return the subject of an API key; that of a game is its id."""
    return _KEY_PREFIX + name


def key_of_subject(subject: str) -> str | None:
    """Return the name of the API key that a subject stands for; None for a game.

    >>> key_of_subject(subject_of_key("discord-bot")), key_of_subject("k7m2x9qd4t1w")
    ('discord-bot', None)
    """
    return subject.removeprefix(_KEY_PREFIX) if subject.startswith(_KEY_PREFIX) else None

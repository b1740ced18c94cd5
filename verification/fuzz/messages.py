"""Messages that a client may send on a socket: valid ones, nearly valid ones, and any JSON."""

import json
from typing import Any

from hypothesis import strategies as st

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=8,
)

TYPES = ("auth", "subscribe", "unsubscribe", "sync", "act", "undo", "resign", "return", "ping")

ACTIONS = st.fixed_dictionaries(
    {"type": st.sampled_from(("place_tile", "place_islander", "retrieve_islander", "take_ship", "deliver", "pass"))},
    optional={
        "x": st.integers(-3, 3) | JSON,
        "y": st.integers(-3, 3) | JSON,
        "rotation": st.integers(-1, 4) | JSON,
        "segment": st.integers(-1, 9) | JSON,
        "ship": st.sampled_from(("s01", "s24", "", "s01\n", "x" * 9)) | JSON,
        "wares": st.dictionaries(st.sampled_from(("bananas", "shells", "fish", "any")), st.integers(-1, 3)) | JSON,
        "phase": st.sampled_from(("islander", "deliver", "place_tile")) | JSON,
    },
)

MOVES = st.sampled_from(("p0.0.0", "p0.-1.2", "i0", "i1", "pass.islander", "pass.deliver", "", "x" * 25, "p1.1.9")) | (
    st.text(max_size=30)
)

NEARLY_VALID_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "since": st.integers(-1, 5) | st.sampled_from((2**31 - 1, 2**31, 2**63, 2**64, 1.0)) | JSON,
    "digest": st.text("0123456789abcdef", min_size=32, max_size=32) | JSON,
    "action": ACTIONS | JSON,
    "move": MOVES | JSON,
    "actions": st.lists(ACTIONS, max_size=4) | JSON,
    "seat": st.integers(-1, 5) | JSON,
    "if_match": st.sampled_from(("1", "2", "3", "17-" + "0" * 32, "*", "", "9" * 11, "1\n")) | JSON,
    "key": st.text(max_size=5) | st.just("k" * 255) | st.just("k" * 256) | JSON,
    "include": st.just("legal_moves") | JSON,
    "token": st.text(max_size=50) | JSON,
    "extra": JSON,
}
"""The members of a message except its type, its id and its game."""

TEXTS = st.sampled_from(
    (
        *("", " ", "null", "[]", "{}", "0", '"ping"', "NaN", "Infinity", "-", "tru", "{", '{"type"', '{"type":}'),
        *('{"type":"ping","type":"ping"}', '{"type":"ping","id":"a","id":"b"}', '{"type":"nothing","id":"n"}'),
        *('{"type":"ping"} {"type":"ping"}', '{"type":"ping"}x', '\ufeff{"type":"ping"}', '{"type":"ping",}'),
        *('{"type":"ping","id":NaN}', '{"type":"ping","id":1e999}', '{"type":"ping","id":' + "9" * 5000 + "}"),
        *('{"type":"ping","id":"\\ud800"}', '{"type":"ping","id":"\\u0000"}', '{"type":"\\u0070ing"}'),
        *("[" * 30_000, '{"a":' * 10_000, '{"type":"ping","id":' + "[" * 5_000 + "]" * 5_000 + "}"),
        *('{"type":"act","game":"x","actions":' + "[" * 3000 + "]" * 3000 + "}", '{"id":"x' + "y" * 64 + '"}'),
        *('{"type":1,"id":"t"}', '{"id":"only"}', '{"type":"act","id":"a","game":"../../etc"}', "\u0000"),
    )
)


@st.composite
def nearly_valid_messages(draw: st.DrawFn, games: list[str], tokens: list[str]) -> dict[str, Any]:
    """Draw a message with valid and invalid members, and sometimes an unknown one."""
    message: dict[str, Any] = {"type": draw(st.sampled_from(TYPES))}
    if draw(st.integers(0, 9)):
        message["game"] = draw(st.sampled_from([*games, "unknown", "../x", "k7m2x9qd4t1w"]))
    for name in draw(st.lists(st.sampled_from([*NEARLY_VALID_FIELDS]), max_size=4, unique=True)):
        message[name] = draw(NEARLY_VALID_FIELDS[name])
    if message["type"] == "auth" and tokens and draw(st.booleans()):
        message["token"] = draw(st.sampled_from(tokens))
    return message


def encode(value: Any) -> str:
    """Encode as JSON, with NaN and surrogates."""
    return json.dumps(value, ensure_ascii=True)

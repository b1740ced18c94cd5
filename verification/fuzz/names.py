"""Fuzzes the names of players, and Accept-Language: what the schema of a text cannot say."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from schemas.player_names import name_key, normalize_name
from tests.drawing.example_tiles import parse_svg
from verification.fuzz.harness import Budget, Counts, run_property
from verification.fuzz.target import Target

ODD_NAMES = st.sampled_from(
    (
        *("Ana", "<b>&amp;'\"", "]]>", "--", "{}", "%s %(x)s {0}", "\u202eevil", "a\u0301" * 16, "\U0001f3dd\ufe0f"),
        "ﷺ" * 32,
        *("\u0000", "\ud800", "\n", " ", "", "x" * 33, "\u00a0", "\u3164", "İıſẞ", "\u200d", "שלום"),
        *("\uff46\uff55\uff4c\uff4c", "\ue000", "\U0010ffff", "\u0639\u200c\u0631", "\U0001fae9"),
    )
)

NAMES = ODD_NAMES | st.text(max_size=34)

LANGUAGES = st.sampled_from(
    ("en", "fr", "de", "FR-ca", "*", "i-klingon", "de-DE-1996", "x" * 9, "", "fr;q=0", "de;q=0.5", "*;q=0", ";", "q=1")
)


def fuzz(target: Target, budget: Budget, counts: Counts) -> None:
    """Run the property. Raise the failure of its smallest counterexample."""

    @given(NAMES, NAMES, st.lists(LANGUAGES, max_size=4))
    def check(name: str, other: str, languages: list[str]) -> None:
        """Check that a name is accepted or rejected by its characters, and appears unchanged in texts and images."""
        body = {"players": [{"name": name}, {"name": other}], "first_seat": 0}
        response = target.request("POST", "/v1/games", body)
        normalized = [unicodedata.normalize("NFC", given.strip()) for given in (name, other)]
        is_valid = _is_valid_name(name) and _is_valid_name(other)
        expected = 400 if not is_valid else 409 if name_key(name) == name_key(other) else 201
        assert response.status == expected, (name, other, response)
        counts["http requests"] += 1
        if response.status != 201:
            return
        created = response.json()
        assert [player["name"] for player in created["game"]["players"]] == normalized
        game = f"/v1/games/{created['game']['id']}"
        accepted = {"Accept-Language": ", ".join(languages)}
        for path in ("/story", "/legal-moves", "/board.svg?side=1", "/board.txt?side=1", "/board.png?side=1&width=64"):
            received = target.request("GET", game + path, headers=accepted)
            counts["http requests"] += 1
            assert received.status == 200, (path, received)
            if received.kind == "image/svg+xml":
                parse_svg(received.data.decode())
            if received.kind == "application/json":
                assert received.headers["Content-Language"] in {"en", "fr", "de"}
        target.check()

    run_property(check, budget)


def _is_valid_name(name: str) -> bool:
    try:
        normalize_name(name)
    except ValueError:
        return False
    return True

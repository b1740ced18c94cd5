"""Fuzzes names, Accept-Language and query parameters."""

import unicodedata
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlencode

from hypothesis import given
from hypothesis import strategies as st

from schemas.player_names import name_key, normalize_name
from tests.drawing.example_tiles import parse_svg
from tests.verification.fuzz.harness import Budget, Counts, run_property
from tests.verification.fuzz.target import Target

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

QUERIES: dict[str, st.SearchStrategy[str]] = {
    "q": NAMES,
    "x": st.sampled_from(("0", "-1", "1", "+1", "1.0", "1e2", "\uff12", "null", "", " 1", "9" * 30, "-2147483649")),
    "y": st.sampled_from(("0", "1", "-0", "0x1", "true", "NaN")),
    "stage": st.sampled_from(("cell", "Cell", "", "tile")),
    "limit": st.sampled_from(("1", "2", "25", "1000", "1001", "0", "-1", "x")),
    "cursor": st.sampled_from(
        ("0", "1", "-1", "999999", "1000000", "²", "a", "", "AAAA", "=" * 10, "\u0660", "MTox", "_-_-")
    ),
    "since": st.sampled_from(("0", "1", "2147483647", "2147483648", "-1", "x")),
    "status": st.sampled_from(("waiting", "active", "finished", "aborted", "Waiting", "", "null")),
    "include": st.sampled_from(("legal_moves", "", "all")),
    "width": st.sampled_from(("16", "15", "200", "2147483647", "x")),
    "region": st.sampled_from(
        ("fit", "0,0,0,0", "-9999,9999,9999,-9999", "1,2,3", "0,0,30,30", "\uff15,0,0,0", "-0,0,0,0\n")
    ),
    "side": st.sampled_from(("1", "0", "2")),
    "candidates": st.sampled_from(("1", "x")),
    "coordinates": st.sampled_from(("1", "0")),
    "theme": st.sampled_from(("dark", "light", "pink")),
    "v": st.sampled_from(("1", "2", "99", "0", "-1")),
    "waiting": st.sampled_from(("true", "false", "1", "yes")),
    "external_user": NAMES,
    "unknown": st.just("1"),
}

PATHS = ("/legal-moves", "/story", "/diffs", "", "/scores", "/board.svg", "/board.txt", "/board.png")


def fuzz(target: Target, budget: Budget, counts: Counts) -> None:
    """Run both properties. Raise the failure of the smallest counterexample."""
    for check in (_check_names(target, counts), _check_queries(target, counts)):
        run_property(check, budget)


def _check_names(target: Target, counts: Counts) -> Callable[[], None]:
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

    return check


def _is_valid_name(name: str) -> bool:
    try:
        normalize_name(name)
    except ValueError:
        return False
    return True


def _check_queries(target: Target, counts: Counts) -> Callable[[], None]:
    created = target.create_game([{"name": "Ana"}, {"name": "Bo"}])
    game, token = f"/v1/games/{created['game']['id']}", created["owner_token"]
    all_moves = target.request("GET", f"{game}/legal-moves").json()["moves"]

    @given(
        st.sampled_from((*(game + path for path in PATHS), "/v1/games", "/v1/seats/me/games")),
        st.lists(st.sampled_from([*QUERIES]).flatmap(lambda name: st.tuples(st.just(name), QUERIES[name])), max_size=4),
        st.integers(1, 30),
    )
    def check(path: str, query: list[tuple[str, str]], limit: int) -> None:
        """Check that a query is accepted, or rejected with the parameter's name; and that pages make the whole list."""
        received = target.request("GET", f"{path}?{_encode_query(query)}", token=token)
        assert received.status in {200, 400, 404}, (path, query, received)
        if received.status == 400:
            problem = received.json()
            assert problem["path"] in {name for name, _ in query}, (path, query, problem)
        assert read_pages(target, f"{game}/legal-moves", limit) == all_moves
        counts["http requests"] += 2
        target.check()

    return check


def read_pages(target: Target, path: str, limit: int) -> list[Any]:
    """Read a list page by page."""
    moves: list[Any] = []
    cursor = ""
    while True:
        received = target.request("GET", f"{path}?limit={limit}{cursor}").json()
        assert len(received["moves"]) <= limit
        moves += received["moves"]
        if received["next_cursor"] is None:
            return moves
        cursor = f"&cursor={quote(received['next_cursor'])}"


def _encode_query(query: list[tuple[str, str]]) -> str:
    return urlencode([(name, value.encode(errors="surrogatepass")) for name, value in query])

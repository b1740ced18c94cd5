"""A parameter is rejected if, and only if, the document's schema rejects it."""

import re

import pytest
from yarl import URL

from tests.web.app_server import Client
from tests.web.http_game import HTTPGame, bearer_header, check_problem
from tests.web.openapi.test_document import DOCUMENT

SECRET = "6e2f0c9b8d4a7153f0e1d2c3b4a59687"

CASES = {
    ("/v1/games", "cursor"): (
        "1764091234-k7m2x9qd4t1w",
        "0-a",
        "x",
        "1-A",
        "-a",
        "1-",
        "12345678901-a",
        "1 a",
        "\u0661-a",
    ),
    ("/v1/games/{id}/legal-moves", "cursor"): ("0", "123456", "1234567", "-1", "+1", "1e3", "\u0661", "null"),
    ("/v1/games/{id}/board.svg", "region"): (
        *("fit", "-2,-2,2,2", "0,0,9999,-9999", "Fit", "1,2,3", "1,2,3,4,5", "1, 2,3,4", "+1,2,3,4", "0,0,0,10000"),
        *("0,0,0,\u0661", "fit,", "--1,0,0,0"),
    ),
    ("/v1/games/{id}", "If-None-Match"): (
        *(
            '"17"',
            'W/"17"',
            "*",
            "",
            ",",
            ', "a" , ,W/"b"',
            "17",
            '"17',
            'w/"17"',
            '"a" "b"',
            "*, *",
            '*, "a"',
            '"a",x',
        ),
    ),
    ("/v1/games", "Creator-Key"): (
        SECRET,
        SECRET + "==",
        SECRET[1:],
        f"{SECRET}===",
        f"{SECRET} x",
        SECRET * 6 + "abcdefghi",
    ),
    ("/v1/games", "Idempotency-Key"): (SECRET, f"{SECRET} {SECRET}", "", SECRET[1:], SECRET * 7 + "a" * 31, SECRET * 8),
}
"""Values by path and parameter."""


def find_parameter(path: str, name: str) -> tuple[str, dict[str, object]]:
    """Return where a parameter of a path's GET or POST is, and its schema."""
    for operation in DOCUMENT["paths"][path].values():
        for reference in operation.get("parameters", ()):
            parameter = reference
            if "$ref" in reference:
                parameter = DOCUMENT["components"]["parameters"][reference["$ref"].rpartition("/")[2]]
            if parameter["name"] == name:
                return parameter["in"], parameter["schema"]
    raise KeyError(name)


def is_documented(schema: dict[str, object], value: str) -> bool:
    minimum, maximum = schema.get("minLength", 0), schema.get("maxLength", 1_000)
    assert isinstance(minimum, int)
    assert isinstance(maximum, int)
    return minimum <= len(value) <= maximum and re.search(str(schema["pattern"]), value) is not None


@pytest.mark.parametrize(
    ("path", "name", "value"), [(path, name, value) for (path, name), values in CASES.items() for value in values]
)
async def test_the_service_takes_what_the_document_says(
    client: Client, http_game: HTTPGame, path: str, name: str, value: str
) -> None:
    place, schema = find_parameter(path, name)
    query, headers = ({name: value}, {}) if place == "query" else ({}, {name: value})
    url = URL(path.replace("{id}", http_game.id)).with_query(query)
    if "Key" in name:
        players = [{"name": "Ana"}, {"bot": "random"}]
        response = await client.post(path, json={"players": players}, headers=headers)
    else:
        response = await client.get(str(url), headers={**headers, **bearer_header(http_game.owner_token)})
    if is_documented(schema, value):
        assert response.status < 400, await response.text()
    else:
        await check_problem(response, 400, "malformed", name)

"""The log as programs read it: one JSON object per line, with its context and without secrets."""

import io
import logging
import re
import secrets
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest

from service.telemetry.logs import LOG_CONTEXT, DueGameContext, JSONFormatter, TextFormatter
from tests.server_process import start_server
from tests.web.http_game import bearer_header, create_game

LOGGER = logging.getLogger("tests.telemetry")


def logged(formatter: logging.Formatter, level: int, message: str, *arguments: object, **more: Any) -> str:
    """Return a line as the formatter writes it."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    handler.handle(LOGGER.makeRecord(LOGGER.name, level, __file__, 1, message, arguments, **{"exc_info": None, **more}))
    return stream.getvalue()


def test_a_json_line_is_one_object_with_its_context() -> None:
    LOG_CONTEXT.set(DueGameContext("k7m2"))
    line = logged(JSONFormatter(), logging.WARNING, "two\nlines of %s", "it", extra={"seat": 2, "odd": {3}})
    received = msgspec.json.decode(line)
    assert line.count("\n") == 1
    assert received["time"].endswith("+00:00")
    assert {name: received[name] for name in ("level", "logger", "message", "game", "seat", "odd")} == {
        "level": "warning",
        "logger": LOGGER.name,
        "message": "two\nlines of it",
        "game": "k7m2",
        "seat": 2,
        "odd": "{3}" if isinstance(received["odd"], str) else [3],
    }
    assert "request_id" not in received


def test_an_exception_is_a_field() -> None:
    try:
        raise KeyError("lost")  # noqa: TRY301
    except KeyError:
        received = msgspec.json.decode(logged(JSONFormatter(), logging.ERROR, "failed", exc_info=sys.exc_info()))
    assert (received["exception"]["type"], received["exception"]["message"]) == ("KeyError", "'lost'")
    assert received["exception"]["stack"].startswith("Traceback")


def test_a_text_line_ends_with_its_context() -> None:
    LOG_CONTEXT.set(DueGameContext("k7m2"))
    assert logged(TextFormatter("%(message)s"), logging.INFO, "late") == "late [game=k7m2]\n"
    LOG_CONTEXT.set(None)
    assert logged(TextFormatter("%(message)s"), logging.INFO, "late") == "late\n"


@pytest.mark.parametrize(("form", "line"), (("text", r".* INFO root: late\n"), ("json", r"\{.*\}\n")))
def test_the_form_of_the_log_is_configured(form: str, line: str) -> None:
    source = (
        "import logging, sys; from service.telemetry.logs import configure_logging; "
        "configure_logging('INFO', sys.argv[1]); logging.debug('early'); logging.info('late')"
    )
    ran = subprocess.run([sys.executable, "-c", source, form], capture_output=True, text=True, check=True)
    assert re.fullmatch(line, ran.stderr)


def test_a_text_line_is_one_printable_line() -> None:
    """Whatever is in it, a terminal does nothing but show it."""
    LOG_CONTEXT.set(None)
    line = logged(
        TextFormatter("%(message)s"), logging.INFO, "%s", "one\n2026 INFO another\x1b[2J", extra={"who": "\x1b[1A"}
    )
    assert line == "one\\n2026 INFO another\\x1b[2J [who=\\x1b[1A]\n"
    try:
        raise ValueError("\x1b[2J")  # noqa: TRY301
    except ValueError:
        whole = logged(TextFormatter("%(message)s"), logging.ERROR, "failed", exc_info=sys.exc_info())
    assert whole.startswith("failed\nTraceback")
    assert all(line.isprintable() for line in whole.splitlines())


async def test_a_service_logs_every_request_and_no_secret(
    tmp_path: Path, redis_url: str, capfd: pytest.CaptureFixture[str]
) -> None:
    flags = ("--log-format", "json", "--access-log", "--log-level", "debug", "--drain-time-s", "0")
    secret, key = secrets.token_hex(16), secrets.token_hex(32)
    async with start_server(tmp_path, redis_url, *flags) as instance, aiohttp.ClientSession(instance.url) as session:
        game = await create_game(session, headers={"Idempotency-Key": key}, visibility="private")
        assert (await game.get(**{"X-Request-Id": "find-me"})).status == 200
        for bad in (f"{game.path}?token={secret}", f"/{secret}/x", f"{game.path}/actions"):
            assert (await session.post(bad, data=secret, headers=bearer_header(secret))).status >= 400
        async with session.ws_connect(f"{game.path}/ws", headers=bearer_header(game.owner_token)) as socket:
            await socket.send_json({"type": "auth", "game": game.id, "token": secret})
            while (await socket.receive_json())["type"] != "error":
                pass
        assert await instance.stop(signal.SIGTERM) == 0
    errors = capfd.readouterr().err
    known = {secret, key, game.owner_token, game.spectator_token, *game.seat_tokens.values()}
    assert not [one for one in known if one in errors]
    (line,) = [line for line in errors.splitlines() if "find-me" in line]
    received = [msgspec.json.decode(each) for each in errors.splitlines()]
    access = msgspec.json.decode(line)
    assert all({"time", "level", "logger", "message"} <= set(each) for each in received)
    assert (access["route"], access["status"], access["game"]) == ("/v1/games/{id}", 200, game.id)
    statuses = [each.get("status", each.get("code")) for each in received if each["logger"] == "service.web.access"]
    assert statuses == [201, 200, 400, 404, 415, None, 1000]

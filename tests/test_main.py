"""The command `south-seas`: what it says, on which stream, and how it ends."""

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from service.games.tilesets import BUILT_IN
from service.main import main
from tests.games.logs import decoded, whole_game

ARCHIPELAGO = BUILT_IN / "archipelago.json"


class Ended(NamedTuple):
    """How a command ended, and what it said on each stream."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def south_seas(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> "Run":
    """Run the command in this process, with only the environment that a test names."""

    def run(*arguments: str, **environment: str) -> Ended:
        for name in [name for name in os.environ if name.startswith("SOUTH_SEAS_")]:
            monkeypatch.delenv(name)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["south-seas", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return Ended(int(ended.value.code or 0), *capsys.readouterr())

    return run


Run = Callable[..., Ended]


def test_help_lists_every_setting_with_its_variable(south_seas: Run) -> None:
    told = south_seas("serve", "--help").stdout
    flags = re.findall(r"^  --([a-z-]+) +(?:[A-Z]|\[)", told, re.MULTILINE)
    variables = re.findall(r"env\s+var:\s+(SOUTH_SEAS_[A-Z_]+)", told)
    assert {"SOUTH_SEAS_HOST", "SOUTH_SEAS_PORT", "SOUTH_SEAS_REDIS_URL", "SOUTH_SEAS_DATA_DIR"} <= {*variables}
    assert "SOUTH_SEAS_TILESETS_DIR" in variables
    assert [f"SOUTH_SEAS_{flag.upper().replace('-', '_')}" for flag in flags] == variables


@pytest.mark.parametrize(
    ("variable", "value"),
    (
        ("SOUTH_SEAS_PORT", "eighty"),
        ("SOUTH_SEAS_PORT", "70000"),
        ("SOUTH_SEAS_REDIS_URL", "localhost:6379"),
        ("SOUTH_SEAS_TILESETS_DIR", "/does/not/exist"),
        ("SOUTH_SEAS_KEEP_ACTIVE_DAYS", "0"),
        ("SOUTH_SEAS_LOG_LEVEL", "loud"),
    ),
)
def test_a_wrong_value_stops_the_start_with_one_line(south_seas: Run, variable: str, value: str) -> None:
    ended = south_seas("serve", **{variable: value})
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert len(ended.stderr.splitlines()) == 1
    assert variable in ended.stderr


def test_a_password_in_a_wrong_url_is_not_told(south_seas: Run) -> None:
    assert "hunter2" not in south_seas("serve", SOUTH_SEAS_REDIS_URL="http://:hunter2@host").stderr


def test_a_tile_set_that_cannot_be_played_stops_the_start(south_seas: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{}")
    ended = south_seas("serve", "--tilesets-dir", str(tmp_path))
    assert ended.returncode == 1
    assert len(ended.stderr.splitlines()) == 1
    assert "bad.json" in ended.stderr


def test_two_tile_sets_of_one_id_stop_the_start(south_seas: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_bytes(ARCHIPELAGO.read_bytes())
    assert "archipelago" in south_seas("serve", "--tilesets-dir", str(tmp_path)).stderr


def test_an_unknown_command_is_one_line(south_seas: Run) -> None:
    ended = south_seas("sail")
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == ["south-seas: No such command 'sail'."]


def test_tileset_check_counts_a_good_set(south_seas: Run) -> None:
    ended = south_seas("tileset", "check", str(ARCHIPELAGO))
    assert ended.returncode == 0
    assert "73 tiles" in ended.stdout
    assert "24 ships" in ended.stdout


def test_tileset_check_names_file_place_and_reason(south_seas: Run, tmp_path: Path) -> None:
    bad = msgspec.json.decode(ARCHIPELAGO.read_bytes())
    bad["start"] = "nowhere"
    bad["tiles"][2]["segments"] = bad["tiles"][2]["segments"][:-1]
    file = tmp_path / "bad.json"
    file.write_bytes(msgspec.json.encode(bad))
    ended = south_seas("tileset", "check", str(file))
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert any(line.startswith(f"{file}: start: ") for line in ended.stderr.splitlines())
    assert any(line.startswith(f"{file}: tiles[2]") for line in ended.stderr.splitlines())


@pytest.mark.parametrize("form", ("array", "object", "lines"))
def test_verify_proves_a_finished_game(south_seas: Run, tmp_path: Path, form: str) -> None:
    log = decoded(whole_game("file"))
    file = tmp_path / "log.json"
    match form:
        case "array":
            file.write_bytes(msgspec.json.encode(log))
        case "object":
            file.write_bytes(msgspec.json.encode({"diffs": log}))
        case _:
            file.write_bytes(b"\n".join(map(msgspec.json.encode, log)))
    ended = south_seas("verify", str(file))
    assert ended.returncode == 0, ended.stderr
    assert [line.split()[:2] for line in ended.stdout.splitlines()] == [
        ["ok", "digests"],
        ["ok", "patches"],
        ["ok", "commitment"],
        ["ok", "rules"],
        ["ok", "result"],
    ]


def test_verify_ends_with_1_on_a_forged_log_and_says_where(south_seas: Run, tmp_path: Path) -> None:
    log = decoded(whole_game("forged"))
    log[30]["events"].pop()
    file = tmp_path / "log.json"
    file.write_bytes(msgspec.json.encode(log))
    ended = south_seas("verify", str(file))
    assert ended.returncode == 1
    assert re.search(r"^WRONG +digests +version 31: ", ended.stdout, re.MULTILINE)


def test_verify_ends_with_3_while_the_seed_is_not_known(south_seas: Run, tmp_path: Path) -> None:
    file = tmp_path / "log.json"
    file.write_bytes(msgspec.json.encode(decoded(whole_game("early"))[:9]))
    ended = south_seas("verify", str(file))
    assert ended.returncode == 3
    assert "unknown" in ended.stdout


@pytest.mark.parametrize(
    "content", (b"", b"{", b"7", b"[1]", b"\xff", b'{"diffs": {}}', b'[{"patch": [5]}]', b'[{"patch": 5}]')
)
def test_verify_refuses_what_is_no_log_with_one_line(south_seas: Run, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "log.json"
    file.write_bytes(content)
    ended = south_seas("verify", str(file))
    assert ended.returncode == 1
    assert len(ended.stderr.splitlines()) == 1


def test_verify_says_that_nothing_listens(south_seas: Run) -> None:
    ended = south_seas("verify", "http://127.0.0.1:9/v1/games/abc")
    assert ended.returncode == 1
    assert ended.stderr.startswith("south-seas: http://127.0.0.1:9 does not answer")

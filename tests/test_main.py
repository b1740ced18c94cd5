"""The command `south-seas`: its output on each stream, and its exit code."""

import os
import re
import signal
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Never

import click
import msgspec
import pytest

from service.games.tilesets import BUILT_IN_DIRECTORY
from service.main import cli, main
from tests.games.game_logs import decode_log, new_game, play_game, rechain
from tests.programs import Finished

ARCHIPELAGO = BUILT_IN_DIRECTORY / "archipelago.json"

LOGINS = ("key:hunter2", "key", ":hunter2")

REMOVED_FLAGS = ("--redis-patience-s", "--keep-active-days", "--drain-s")


def test_the_version_is_that_of_the_services_own_distribution() -> None:
    """The Python client's distribution, `south-seas`, is installed beside it here, and not in the image."""
    distribution = tomllib.loads(Path("pyproject.toml").read_text())["project"]["name"]
    names = {
        name
        for module in Path("service").rglob("*.py")
        for name in re.findall(r"""\bversion\(['"](\S+?)['"]\)""", module.read_text())
    }
    assert names == {distribution}


@pytest.fixture
def south_seas(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> "Run":
    """Run the command in this process, with only the environment that a test names."""

    def run(*arguments: str, **environment: str) -> Finished:
        for name in [name for name in os.environ if name.startswith("SOUTH_SEAS_")]:
            monkeypatch.delenv(name)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["south-seas", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return Finished(int(ended.value.code or 0), *capsys.readouterr())

    return run


Run = Callable[..., Finished]


def test_an_interrupted_command_has_the_status_of_sigint(south_seas: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(**_: Any) -> Never:
        raise click.exceptions.Abort

    monkeypatch.setattr(cli, "main", interrupt)
    assert south_seas("export", "all").returncode == 128 + signal.SIGINT


def test_without_a_command_the_help_is_printed(south_seas: Run) -> None:
    ended = south_seas()
    assert ended.returncode == 2
    assert "Run the service until SIGTERM or SIGINT." in ended.stderr


@pytest.mark.parametrize(
    ("variable", "value"),
    (
        ("SOUTH_SEAS_PORT", "eighty"),
        ("SOUTH_SEAS_PORT", "70000"),
        ("SOUTH_SEAS_REDIS_URL", "localhost:6379"),
        ("SOUTH_SEAS_REDIS_URL", "http://:hunter2@host"),
        ("SOUTH_SEAS_TILESETS_DIR", "/does/not/exist"),
        ("SOUTH_SEAS_ACTIVE_RETENTION_DAYS", "0"),
        ("SOUTH_SEAS_LOG_LEVEL", "loud"),
    ),
)
def test_a_wrong_value_stops_the_start_with_one_line(south_seas: Run, variable: str, value: str) -> None:
    ended = south_seas("serve", **{variable: value})
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert len(ended.stderr.splitlines()) == 1
    assert variable in ended.stderr
    assert "hunter2" not in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    (
        (("sail",), "south-seas: No such command 'sail'.\n"),
        *((("serve", flag, "1"), f"No such option '{flag}'") for flag in REMOVED_FLAGS),
        (("export", "x"), "say which games: --all, or --game ID"),
        (("export", "x", "--all", "--game", "g"), "say which games: --all, or --game ID"),
        (("export", "x.json", "--game", "g", "--game", "h"), "several games need a directory"),
        (("export", "x", "--all", "--redis-url", "redis://127.0.0.1:1/0"), "Redis does not answer"),
        (("export", "x", "--all", "--redis-url", "http://:hunter2@h"), "the Redis URL"),
        (("import", "no-such-file"), "does not exist"),
        (("serve", "--archive-url", "ftp://h/x"), "has an unsupported scheme"),
        (("serve", "--archive-url", "file://h/x"), "write file:///DIRECTORY"),
        (("serve", "--archive-url", "s3://"), "has no bucket: write s3://BUCKET/PREFIX"),
        (("serve", "--archive-url", "file:///"), "has no directory"),
        (("serve", "--archive-url", "s3://[b/x"), "is not a URL"),
        *((("serve", "--archive-url", f"s3://{login}@b/x"), "has a user or a password") for login in LOGINS),
    ),
)
def test_an_error_is_one_line(south_seas: Run, arguments: tuple[str, ...], words: str) -> None:
    ended = south_seas(*arguments)
    assert (ended.returncode, ended.stdout) == (1 if words == "Redis does not answer" else 2, "")
    assert len(ended.stderr.splitlines()) == 1, ended.stderr
    assert ended.stderr.startswith("south-seas: ")
    assert words in ended.stderr
    assert "hunter2" not in ended.stderr


def test_an_invalid_tile_set_stops_the_start(south_seas: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{}")
    ended = south_seas("serve", "--tilesets-dir", str(tmp_path))
    assert ended.returncode == 1
    assert len(ended.stderr.splitlines()) == 1
    assert "bad.json" in ended.stderr


def test_two_tile_sets_of_one_id_stop_the_start(south_seas: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_bytes(ARCHIPELAGO.read_bytes())
    assert "archipelago" in south_seas("serve", "--tilesets-dir", str(tmp_path)).stderr


def test_tileset_check_prints_the_counts_of_a_valid_set(south_seas: Run) -> None:
    ended = south_seas("tileset", "check", str(ARCHIPELAGO))
    described = "archipelago is a playable tile set: 73 tiles of 51 types, 24 ships"
    assert ended == (0, f"{ARCHIPELAGO}: {described}\n", "")


def test_tileset_check_prints_file_path_and_reason(south_seas: Run, tmp_path: Path) -> None:
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


def test_of_a_file_that_is_too_large_for_a_tile_set_no_more_is_read(south_seas: Run, tmp_path: Path) -> None:
    """No memory has room for this one."""
    file = tmp_path / "large.json"
    file.touch()
    os.truncate(file, 2**40)
    ended = south_seas("tileset", "check", str(file))
    assert (ended.returncode, ended.stderr) == (1, f"{file}: a tile set has at most 1048576 bytes\n")


@pytest.mark.parametrize("form", ("array", "object", "lines"))
def test_verify_proves_a_finished_game(south_seas: Run, tmp_path: Path, form: str) -> None:
    log = decode_log(play_game("file"))
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
    assert [line.split()[:2] for line in ended.stdout.partition("Proved:")[0].splitlines()] == [
        ["ok", "digests"],
        ["ok", "patches"],
        ["ok", "commitment"],
        ["ok", "rules"],
        ["ok", "result"],
    ]


def test_verify_exits_with_1_and_the_version_of_a_forged_diff(south_seas: Run, tmp_path: Path) -> None:
    log = decode_log(play_game("forged"))
    log[30]["events"].pop()
    file = tmp_path / "log.json"
    file.write_bytes(msgspec.json.encode(log))
    ended = south_seas("verify", str(file))
    assert ended.returncode == 1
    assert re.search(r"^WRONG +digests +version 31: ", ended.stdout, re.MULTILINE)


def test_verify_exits_with_3_while_the_seed_is_hidden(south_seas: Run, tmp_path: Path) -> None:
    file = tmp_path / "log.json"
    file.write_bytes(msgspec.json.encode(decode_log(play_game("early"))[:9]))
    ended = south_seas("verify", str(file))
    assert ended.returncode == 3
    assert "unknown" in ended.stdout


@pytest.mark.parametrize(
    "content", (b"", b"{", b"7", b"[1]", b"\xff", b'{"diffs": {}}', b'[{"patch": [5]}]', b'[{"patch": 5}]')
)
def test_verify_rejects_an_invalid_log_with_one_line(south_seas: Run, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "log.json"
    file.write_bytes(content)
    ended = south_seas("verify", str(file))
    assert ended.returncode == 1
    assert len(ended.stderr.splitlines()) == 1


def log_file(directory: Path, log: list[dict[str, Any]]) -> str:
    """Write a log to a file, and return its path."""
    file = directory / "log.json"
    file.write_bytes(msgspec.json.encode(log))
    return str(file)


def claims(output: str) -> tuple[str, str]:
    """Return the text about what is proved, and about what is not."""
    proved, _, not_proved = output.partition("Proved:")[2].partition("Not proved:")
    return proved, not_proved


def test_verify_prints_what_is_not_proved(south_seas: Run, tmp_path: Path) -> None:
    log = decode_log(play_game("words"))
    proved, not_proved = claims(south_seas("verify", log_file(tmp_path, log)).stdout)
    assert "moves were legal" in proved
    assert "--digest" in not_proved
    assert "chose the seed" in not_proved


def test_verify_checks_the_commitment_and_digests_that_a_player_saw(south_seas: Run, tmp_path: Path) -> None:
    log = decode_log(play_game("pins"))
    commitment = next(one["value"]["commitment"] for one in log[0]["patch"] if one["path"] == "/deck")
    observed = ("--commitment", commitment, "--digest", log[20]["digest"], "--digest", f"31-{log[30]['digest']}")
    ended = south_seas("verify", log_file(tmp_path, log), *observed)
    assert ended.returncode == 0
    assert re.search(r"^ok +seen +the commitment and the digest of version 21 and .* 31$", ended.stdout, re.MULTILINE)
    proved, not_proved = claims(ended.stdout)
    assert "not even the service" in proved
    assert "after version 31" in not_proved
    last = south_seas("verify", log_file(tmp_path, log), "--digest", log[-1]["digest"])
    assert "--" not in claims(last.stdout)[1]


@pytest.mark.parametrize(
    "seen", (("--commitment", "0" * 64), ("--digest", "0" * 32), ("--digest", "5-{digest}"), ("--digest", "{another}"))
)
def test_verify_rejects_another_log_than_the_player_saw(south_seas: Run, tmp_path: Path, seen: tuple[str, str]) -> None:
    """The other log's own digests are consistent."""
    log, another = decode_log(play_game("pins")), decode_log(play_game("others"))
    pin = seen[1].format(digest=log[20]["digest"], another=another[20]["digest"])
    ended = south_seas("verify", log_file(tmp_path, log), seen[0], pin)
    assert ended.returncode == 1
    assert re.search(r"^WRONG +seen ", ended.stdout, re.MULTILINE)
    assert claims(ended.stdout)[0] == ""


@pytest.mark.parametrize("seen", (("--commitment", "abc"), ("--digest", "0" * 64), ("--digest", "x" * 32)))
def test_verify_rejects_malformed_digests(south_seas: Run, tmp_path: Path, seen: tuple[str, str]) -> None:
    ended = south_seas("verify", log_file(tmp_path, decode_log(new_game("pins")[1])), *seen)
    assert ended.returncode == 2
    assert "hex digits" in ended.stderr


def is_escaped(output: str) -> bool:
    """Return whether the output has no escape sequences."""
    return all(line.isprintable() for line in output.splitlines())


def test_verify_prints_no_escape_sequences(south_seas: Run, tmp_path: Path) -> None:
    """Escape sequences could hide an error: this one replaces the line before."""
    trick = "\x1b[1A\x1b[2Kok       digests\n\u202e"
    log = decode_log(play_game("tricks"))
    log[9]["digest"] = trick
    wrong = south_seas("verify", log_file(tmp_path, log))
    assert (wrong.returncode, is_escaped(wrong.stdout)) == (1, True)
    assert "the digest is \\x1b[1A" in wrong.stdout
    for name in ("game", "version", "move", "at"):
        log = decode_log(play_game("tricks"))
        log[9][name] = trick
        wrong = south_seas("verify", log_file(tmp_path, rechain(log)))
        assert (wrong.returncode, is_escaped(wrong.stdout)) == (1, True)
    document = {"schema": trick, "kind": trick, "diffs": [{"patch": [{"path": "/tileset", "value": trick}]}]}
    (tmp_path / "other.json").write_bytes(msgspec.json.encode(document))
    rejected = south_seas("verify", str(tmp_path / "other.json"))
    assert (rejected.returncode, is_escaped(rejected.stderr)) == (1, True)


def test_a_tile_set_prints_no_escape_sequences(south_seas: Run, tmp_path: Path) -> None:
    file = tmp_path / "set.json"
    file.write_bytes(msgspec.json.encode({"id": "\x1b]0;owned\x07", "\x1b[2J": 1}))
    ended = south_seas("tileset", "check", str(file))
    assert (ended.returncode, is_escaped(ended.stderr)) == (1, True)


def test_a_data_directory_beside_a_redis_url_is_rejected(south_seas: Run) -> None:
    flags = ("--data-dir", "/nowhere", "--redis-url", "redis://127.0.0.1:9")
    for command in (("serve",), ("keys", "list"), ("export", "--all", "/nowhere")):
        ended = south_seas(*command, *flags)
        assert ended.returncode == 2
        assert ended.stderr.startswith("south-seas: --data-dir is for games in an embedded server, and --redis-url")
    beside = south_seas("keys", "list", *flags[2:], SOUTH_SEAS_DATA_DIR="/nowhere")
    assert beside.stderr.startswith("south-seas: Redis does not answer: ")
    assert beside.stderr.count("\n") == 1


def test_verify_prints_that_a_url_is_unreachable(south_seas: Run) -> None:
    ended = south_seas("verify", "http://127.0.0.1:9/v1/games/abc")
    assert ended.returncode == 1
    assert ended.stderr.startswith("south-seas: http://127.0.0.1:9 is unreachable")

"""The tests' own tools work, and no test depends on real time or on chance."""

import ast
import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from tests import tools
from tests.polling import in_background
from tests.tools import CURL, HAPROXY, ROOT, Tool

MISSING = Tool("curl", lambda: None, "apt install curl")


def progress(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a step as the Makefile does."""
    arguments = [sys.executable, str(ROOT / ".ci" / "progress"), "Doing it", *command]
    return subprocess.run(arguments, capture_output=True, text=True, check=False)


def test_a_missing_program_skips_a_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "_required", False)
    with pytest.raises(pytest.skip.Exception, match="not installed: curl"):
        tools.require(MISSING)
    assert not tools.is_installed(MISSING)


def test_a_missing_program_fails_a_test_if_all_are_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "_required", True)
    for check in (tools.require, tools.is_installed):
        with pytest.raises(pytest.fail.Exception, match="not installed: curl; apt install curl"):
            check(MISSING)


def test_the_run_ends_with_a_table_of_missing_programs() -> None:
    reasons = [f"Skipped: {tools.REASON}{tool.name}" for tool in (CURL, HAPROXY, CURL)]
    head, curl, haproxy = tools.summary([*reasons, "Skipped: for another reason"])
    assert head.split() == ["tests", "missing", "install", "with"]
    assert curl.split() == ["2", "curl", "apt", "install", "curl"]
    assert haproxy.split() == ["1", "haproxy", "apt", "install", "haproxy"]


def test_there_is_no_table_without_missing_programs() -> None:
    assert [*tools.summary(["Skipped: for another reason"])] == []


async def test_a_background_task_ends_although_its_first_cancellation_is_swallowed() -> None:
    async def swallow() -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await asyncio.Event().wait()

    async with in_background(swallow()):
        await asyncio.sleep(0)


def test_a_short_step_shows_only_its_title() -> None:
    finished = progress(sys.executable, "-c", "print('detail')")
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "Doing it\n", "")


def test_a_long_step_shows_the_last_line_of_its_output_every_three_seconds() -> None:
    finished = progress(sys.executable, "-uc", "import time; print('first'); print('second'); time.sleep(3.5)")
    assert finished.stdout == "Doing it\n    3 s  second\n"


def test_a_step_that_fails_shows_all_of_its_output() -> None:
    finished = progress(sys.executable, "-c", "print('why'); raise SystemExit(7)")
    assert finished.returncode == 7
    assert finished.stderr.startswith("why\nThis failed: ")


def report(nodeid: str, duration_s: float) -> pytest.TestReport:
    return pytest.TestReport(nodeid, ("", None, ""), {}, "passed", None, "call", duration=duration_s)


def test_the_slowest_tests_are_those_whose_parts_take_longest() -> None:
    reports = [report("a", 2), report("b", 3), report("a", 2), report("c", 1)]
    assert (tools.pick_slowest(reports, 1), tools.pick_slowest(reports, 2)) == (["a"], ["a", "b"])


def test_the_slowest_tests_exist() -> None:
    named = {tuple(re.split(r"::|\[", nodeid)[:2]) for nodeid in tools.read_slowest()}
    assert len(named) > 50
    gone = [(path, name) for path, name in named if not re.search(rf"\b{name}\b", (ROOT / path).read_text("utf-8"))]
    assert gone == []  # else `make slowest`


CLOCKS = {"time", "monotonic", "perf_counter", "process_time", "thread_time"}
HELPERS = {"polling.py", "test_tools.py"}

EXCEPTIONS = {
    "benchmarks/test_parts.py::serving": "no test waits for its end",
    "benchmarks/test_tournament.py::test_a_match_without_updates_is_reported": "it is to pass",
    "cli/test_export_import.py::test_a_backup_links_what_has_not_changed_and_names_what_is_missing": "a minute",
    "examples/chat/test_bot.py::test_a_replaced_player_returns": "a turn's time of a game: that it ends is waited for",
    "games/archive/test_archiver.py::test_a_hanging_write_is_a_storage_failure": "it is to pass",
    "games/bots/fake_bots.py::choose": "a bot that is slow",
    "games/bots/test_bots.py::test_every_legal_move_is_as_likely": "the bot `random`, which has a seed",
    "games/bots/test_registry.py::test_a_game_of_heavy_bots_is_created_at_once_and_played_later": "it is to pass",
    "games/realtime/test_hub.py::test_a_subscription_that_times_out_leaves_nothing_behind": "it is to pass",
    "games/test_game_failures.py::context_of": "a clock that is late",
    "games/test_game_failures.py::test_a_failing_game_delays_no_other": "a time to come",
    "games/test_scheduler.py::test_a_game_whose_bot_hangs_fails_and_frees_a_slot": "it is to pass",
    "redis_servers.py::reserve_ports": "any free port",
    "security/test_failure_isolation.py::flood": "how often a client of a flood asks again",
    "security/test_size_limits.py::test_a_slow_body_times_out": "it is to pass",
    "store/test_game_store.py::test_a_read_only_server_does_not_reply_to_commits": "it is to pass",
    "store/test_embedded.py::test_a_second_instance_is_rejected": "it is to pass",
    "store/test_failover_recovery.py::deploy": "of each attempt of what is tried again",
    "store/test_game_store.py::wait_for_token": "the pause that the store names",
    "store/test_notifications.py::test_a_silent_connection_without_replies_is_replaced": "it is to pass",
    "store/test_health.py::test_a_cluster_without_slots_is_not_writable_until_it_has_them": "it is to pass",
    "store/test_health.py::test_of_a_cluster_only_the_primary_that_is_down_is_not_writable": "it is to pass",
    "store/test_outages.py::test_a_lost_part_of_a_cluster_is_one_outage_while_the_rest_goes_on": "it is to pass",
    "store/test_outages.py::test_killed_connections_neither_lose_nor_repeat_commits": "how often they are killed",
    "store/test_pipeline.py::test_a_command_that_timed_out_counts_until_it_is_released": "it is to pass",
    "store/test_pipeline.py::test_an_unreachable_server_reaches_the_command_limit": "it is to pass",
    "store/test_pipeline.py::test_the_time_for_which_the_process_was_stopped_does_not_count": "a pause",
    "store/test_failover_recovery.py::test_whatever_is_not_safe_is_refused": "how long a replica is paused",
    "store/test_server_check.py::test_a_cluster_without_slots_is_waited_for": "how long it has none",
    "store/test_topology.py::play_games": "how often they are played",
    "store/test_topology.py::test_a_cluster_is_discovered_again_after_all_nodes_went_down": "it is to pass",
    "store/test_topology.py::test_failover_loses_no_acknowledged_commit": "a silent primary is left then",
    "store/test_topology.py::test_a_primary_that_loses_its_replicas_takes_none_from_another": "it is to pass",
    "store/test_topology.py::test_a_primary_without_replica_affects_only_its_own_games": "it is to pass",
    "store/test_topology.py::test_an_outdated_sentinel_is_outvoted": "how long two are paused",
    "telemetry/test_metrics.py::test_commands_are_timed_and_errors_counted_by_kind": "it is to pass",
    "test_instances.py::test_a_paused_instance_reads_what_redis_has_answered_before_commands_time_out": "a pause",
    "test_supervision.py::test_a_late_timer_runs_once_unless_it_is_cancelled_meanwhile": "a pause",
    "test_supervision.py::test_a_timer_that_is_little_late_runs_at_once": "a pause",
    "test_supervision.py::test_what_arrived_while_the_process_was_paused_is_read_before_a_timeout": "a pause",
    "test_supervision.py::test_what_polls_polls_again_after_a_pause_before_its_timeout": "a pause",
    "web/conftest.py::short_linger": "it is to pass",
    "web/connections/test_protocol.py": "by a clock that the tests give",
    "web/images/test_renderer.py::test_a_picture_over_its_time_ends_a_worker": "it is to pass",
    "web/routes/test_page.py::test_a_page_does_not_wait_for_a_store_that_hangs": "it is to pass",
    "web/routes/test_service.py::test_an_instance_without_its_store_is_ready_and_says_503_where_it_needs_it": "passes",
    "web/test_malformed_http.py::test_malformed_chunks_are_answered_at_once_and_not_logged": "it may pass",
    "web/test_handling.py::test_a_slow_client_is_disconnected": "it is to pass",
    "web/test_outbound.py::test_a_status_decides_and_only_the_beginning_of_a_challenges_response_is_read": "at least",
    "web/test_outbound.py::test_all_failures_of_a_name_look_the_same_and_take_the_same_time": "it is to pass",
    "web/test_outbound.py::test_endless_provisional_responses_are_cut_off": "it is to pass",
    "web/test_outbound.py::test_no_outcome_reveals_internal_names": "it is to pass",
    "web/websocket/test_connection.py::test_a_client_is_not_closed_for_an_answer_that_came_during_a_pause": "a pause",
    "web/websocket/test_connection.py::test_a_client_that_answers_no_close_is_dropped": "it is to pass",
    "web/websocket/test_connection.py::test_a_client_that_never_reads_is_dropped": "it is to pass",
}
"""Why what they do cannot fail on a busy machine."""


def dotted(node: ast.AST) -> str:
    """Return the name of what is named or called, and nothing for everything else."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return dotted(node.func) if isinstance(node, ast.Call) else getattr(node, "id", "")


def reads_clock(node: ast.AST) -> bool:
    name = dotted(node) if isinstance(node, ast.Call) else ""
    return name.removeprefix("time.") in CLOCKS or name.endswith("loop.time")


def is_elapsed(node: ast.AST, read: set[str]) -> bool:
    """Return whether a difference or comparison has a clock, or a variable that was read from one."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        sides = [node.left, node.right]
    elif isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
    else:
        return False
    return any(reads_clock(side) or (isinstance(side, ast.Name) and side.id in read) for side in sides)


LIMIT = re.compile("timeout$|(timeout|limit|within|budget|patience|silence|period)_s$", re.IGNORECASE)
"""How names of limits end."""


def number(node: ast.AST | None, names: dict[str, float]) -> float:
    """Return the value of a number, of the name of one, or of a product, and 0 for everything else."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name(id=name):
            return names.get(name, 0)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return number(left, names) * number(right, names)
        case _:
            return 0


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def read_numbers(path: Path) -> dict[str, float]:
    """Return the numbers that have a name in a module, also in the modules that it imports names from."""
    names = dict[str, float]()
    for node in parse(path).body:
        match node:
            case ast.ImportFrom(module=str(module), names=imported):
                source = ROOT / f"{module.replace('.', '/')}.py"
                exported = read_numbers(source) if source.exists() else {}
                names |= {one.asname or one.name: exported.get(one.name, 0) for one in imported}
            case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=value):
                names[dotted(target)] = number(value, names)
            case _:
                pass
    return names


PATIENT_S = 60
"""A limit below it measures the machine."""


def limits(node: ast.AST) -> Iterator[ast.AST | None]:
    """Yield the limits that a call gives, or an assignment to an attribute."""
    match node:
        case ast.Call(func=func, args=args, keywords=keywords):
            name = dotted(func)
            is_of_game = name == "new_game" or any(one.arg == "turn_timeout_s" for one in keywords)
            if is_of_game or ".assert_" in name:
                return
            yield from (one.value for one in keywords if LIMIT.search(one.arg or ""))
            if name == "wait_until":
                yield from args[1:]
            if name in {"asyncio.timeout", "asyncio.wait_for"} or (
                name.endswith("setattr") and LIMIT.search(ast.unparse(args[-2]).strip("'"))
            ):
                yield args[-1]
        case ast.Assign(targets=[ast.Attribute(attr=name)], value=value) if LIMIT.search(name):
            yield value
        case _:
            pass


def kinds_of_call(call: ast.Call) -> Iterator[str]:
    name, args = dotted(call), call.args
    if name in {"asyncio.sleep", "time.sleep"} and ast.unparse(args[0]) not in {"0", "INTERVAL_S"}:
        yield "sleep"
    if name in {"Random", "random.Random"} and not args:
        yield "chance"
    if name.startswith("random.") and name.removeprefix("random.") not in {"Random", "getstate", "setstate", "seed"}:
        yield "chance"


def kinds(tree: ast.AST, names: dict[str, float]) -> Iterator[str]:
    """Yield what a function or another statement does with real time or chance."""
    nodes = list(ast.walk(tree))
    assigned = [(node.targets[0], node.value) for node in nodes if isinstance(node, ast.Assign)]
    read = {target.id for target, value in assigned if isinstance(target, ast.Name) and reads_clock(value)}
    for node in nodes:
        if is_elapsed(node, read):
            yield "elapsed"
        if any(0 < number(limit, names) < PATIENT_S for limit in limits(node)):
            yield "limit"
        if isinstance(node, ast.Call):
            yield from kinds_of_call(node)


def statements(tree: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield the functions and methods of a module with their names, and its other statements."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from statements(node)
        else:
            yield f"::{node.name}" if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else "", node


def test_no_test_depends_on_real_time_or_on_chance() -> None:
    found = {
        f"{path.relative_to(ROOT / 'tests')}{name}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        if path.name not in HELPERS
        for name, node in statements(parse(path))
        if any(kinds(node, read_numbers(path)))
    }
    assert found == {*EXCEPTIONS}


def test_each_kind_is_found() -> None:
    for code, kind in (
        ("started = loop.time(); assert loop.time() - started < 2", "elapsed"),
        ("at = perf_counter(); assert took > at", "elapsed"),
        ("await asyncio.sleep(0.1)", "sleep"),
        ("await asyncio.wait_for(x, 5)", "limit"),
        ("serve(store, Limits(request_timeout_s=0.2))", "limit"),
        ("wait_until(is_done, SHORT)", "limit"),
        ("asyncio.timeout(2 * SHORT)", "limit"),
        ("pool._timeout_s = 0.5", "limit"),
        ("monkeypatch.setattr(hub, 'READ_TIMEOUT_S', 3)", "limit"),
        ("chance = Random()", "chance"),
        ("random.choice(moves)", "chance"),
    ):
        assert {*kinds(ast.parse(code), {"SHORT": 0.2})} == {kind}
    allowed = "await asyncio.sleep(0); Random(3); asyncio.timeout(TIMEOUT_S); new_game(turn_timeout_s=1); timeout=1_000"
    assert list(kinds(ast.parse(allowed), {"TIMEOUT_S": PATIENT_S})) == []

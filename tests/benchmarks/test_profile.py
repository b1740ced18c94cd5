"""What is made of a sampling profiler's stacks."""

from benchmarks.profile import Frame, profile_of, report

STACKS = [
    "run (uvloop/__init__.py:97);act (service/games/act.py:12);apply (service/engine/turn.py:40) 30",
    "run (uvloop/__init__.py:97);act (service/games/act.py:19) 10",
    "run (uvloop/__init__.py:97);act (service/games/act.py:12);act (service/games/act.py:9) 5",
    "run (uvloop/__init__.py:97) 55",
]


def test_samples_are_added_up_by_function_and_part_each_once_a_stack() -> None:
    profile = profile_of(STACKS)
    act = Frame("act", "service/games/act.py")
    assert profile.total == 100
    assert (profile.self_functions[act], profile.functions[act]) == (15, 45)
    assert (profile.self_parts["engine"], profile.parts["engine"]) == (30, 30)
    assert profile.parts["uvloop, asyncio and the kernel"] == 100


def test_the_report_leaves_out_what_is_around_everything() -> None:
    told = "\n".join(report(profile_of(STACKS), 200.0))
    assert "| engine | 30.0% | 60 | 30.0% |" in told
    assert "| `act` service/games/act.py | 15.0% | 45.0% | 90 |" in told
    assert "`run`" not in told

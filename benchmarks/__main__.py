"""`python -m benchmarks`: the engine and the service beside ceilings of the same run."""

from benchmarks.action import action, latency
from benchmarks.answers import answers
from benchmarks.engine import engine
from benchmarks.fan_out import fan_out
from benchmarks.growth import growth
from benchmarks.instances import instances
from benchmarks.instructions import instructions
from benchmarks.memory import sockets, start
from benchmarks.run import main
from benchmarks.stages import stages
from benchmarks.stored import stored

PARTS = {
    "engine": engine,
    "answers": answers,
    "action": action,
    "latency": latency,
    "instructions": instructions,
    "stages": stages,
    "fan-out": fan_out,
    "sockets": sockets,
    "instances": instances,
    "start": start,
    "stored": stored,
}

if __name__ == "__main__":
    main("suite", "benchmarks", PARTS, {"growth": growth})

"""Long steps of the start come before the connections to Redis and clients, so that they block no event loop."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec

SERVING = """
import asyncio, json, os, signal, sys, time

started_at = time.thread_time()
import service.main
from service.store.topology import StandaloneTopology

imported_s, steps = time.thread_time() - started_at, []
run, client = asyncio.Handle._run, StandaloneTopology.client_for
connecting = False

def measured(handle):
    started_at = time.thread_time()
    run(handle)
    if connecting:
        steps.append(time.thread_time() - started_at)

def connected(server, primary):
    global connecting
    connecting = True
    return client(server, primary)

def end(*_):
    asyncio.get_running_loop().call_later(1, print_steps)

def print_steps():
    print(json.dumps({"imported_s": imported_s, "longest_s": max(steps), "steps": len(steps)}))
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGINT)

asyncio.Handle._run, StandaloneTopology.client_for = measured, connected
service.main._print_greeting, service.main.uvloop.run = end, asyncio.run
service.main.main()
"""
"""Starts the service, and prints the longest processor time of a step of its event loop."""


class Steps(msgspec.Struct):
    """Processor time in seconds."""

    imported_s: float
    longest_s: float
    steps: int


def test_no_step_is_long_once_redis_is_being_connected(tmp_path: Path) -> None:
    flags = ("serve", "--port", "0", "--metrics-port", "0", "--data-dir", str(tmp_path), "--drain-time-s", "0")
    finished = subprocess.run(
        [sys.executable, "-c", SERVING, *flags],
        capture_output=True,
        check=True,
        timeout=60,
        env={**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"},
    )
    measured = msgspec.json.decode(finished.stdout, type=Steps)
    assert measured.steps > 20
    assert measured.longest_s < measured.imported_s / 12, measured

"""A result as a run of the suite makes it, with one figure of each sort."""

from benchmarks.results import Figure, Result

FIGURES = [
    Figure(
        *("engine.pure.games", "Engine", "random games", "games/s", [411.0, 399.0, 420.0]),
        of="pure",
        target="350 games/s",
    ),
    Figure("engine.pure.list", "Engine", "list < & > apply", "µs", [6.25], better="less", of="pure"),
    Figure(
        *("action.rate", "One action", "actions", "actions/s", [2_500.0, 2_400.0, 2_600.0]),
        ceiling=[5_000.0, 4_000.0, 5_200.0],
        ceiling_title="no game",
        target="0.7 of the ceiling",
        note="everything on",
    ),
    Figure("sockets.1000", "Memory", "an idle socket", "KB", [16.4], better="less", target="under 15 KB"),
]


def a_result(*noise: str) -> Result:
    """Return a result that is noisy for these reasons."""
    return Result(
        kind="suite",
        date="2026-11-22T05:43:36Z",
        commit="0123456789ab",
        machine="2 cores of A Processor, Linux 6.1",
        python="3.11.7",
        engine="pure",
        versions={"aiohttp": "3.14.5"},
        noise=list(noise),
        figures=FIGURES,
        notes=["two instances do more"],
    )

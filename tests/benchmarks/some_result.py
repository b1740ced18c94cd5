"""A result as a run of the suite makes it, with one figure of each sort."""

from benchmarks.results import FORMAT, Figure, Machine, Noise, Result, ratios, series

GAMES = series([411.0, 399.0, 420.0])
RATES, CEILINGS = [2_500.0, 2_400.0, 2_600.0], [5_000.0, 4_000.0, 5_200.0]

FIGURES = [
    Figure(
        "engine.pure.games", "Engine", "random games", "games/s", series([411.0, 399.0, 420.0]), of="pure", reach=350
    ),
    Figure("engine.pure.list", "Engine", "list < & > apply", "µs", series([6.25]), better="less", of="pure"),
    Figure(
        name="action.rate",
        group="One action",
        title="actions",
        unit="actions/s",
        measured=series(RATES),
        ceiling=series(CEILINGS),
        ceiling_title="no game",
        ratio=ratios(RATES, CEILINGS),
        reach_ratio=0.7,
        note="everything on",
    ),
    Figure("sockets.1000", "Memory", "an idle socket", "KB", series([16.4]), better="less", reach=15.0),
]


def a_result(*reasons: str) -> Result:
    """A result that is noisy for these reasons."""
    return Result(
        format=FORMAT,
        kind="suite",
        date="2026-11-22T05:43:36Z",
        commit="0123456789ab",
        quick=False,
        machine=Machine("A Processor", 2, 8_000, "Linux 6.1"),
        python="3.11.7",
        engine="pure",
        versions={"aiohttp": "3.14.5"},
        noise=Noise(bool(reasons), list(reasons), series([4.0, 4.1]), 0.1, 0.0, 0.0),
        figures=FIGURES,
        notes=["two workers do more"],
    )

"""The capacity model: what a load takes of processors, memory and network, as single steps were measured to cost.

use = predict(costs, Load(games=1_000_000, actions_per_game_s=1 / 15, sockets_per_game=2), instances=40)
use.service_cores, use.redis_cores, use.redis_bytes, use.sent_bytes_s

Everything is linear in the rates but for one thing: how many *other* instances a change must reach, which is how a load
that is spread over many instances costs more than the same load on one.
"""

import msgspec

DAY_S = 86_400


class Costs(msgspec.Struct, frozen=True):
    """What was measured: processor microseconds of one step, and bytes."""

    action_us: float
    """One action over HTTP in an instance: rules, diff, commit, answer."""
    reload_us: float
    """More, where another instance changed the game last: what is held is out of date, and is loaded anew."""
    delivery_us: float
    """One diff written to one socket."""
    hint_us: float
    """Another instance hears that a game has changed, and watches it or not."""
    follow_us: float
    """More, where it watches the game: it reads the news from the log."""
    redis_action_us: float
    redis_reload_us: float
    redis_hint_us: float
    redis_follow_us: float
    client_us: float
    """What the program that makes the load takes, which on a machine of its own would not count."""
    diff_bytes: float
    """One diff as a socket gets it."""
    snapshot_bytes: float
    """What a game's state takes in Redis at its end."""
    log_bytes: float
    """What its diffs take at its end."""
    answers_bytes: float
    """What the answers take that are kept for a day for retries, where every action had its idempotency key."""
    socket_bytes: float
    instance_bytes: float
    """An instance without any load."""


class Load(msgspec.Struct, frozen=True):
    """What is asked of the service."""

    games: int
    """Being played at the same time."""
    actions_per_game_s: float
    sockets_per_game: float = 2.0
    actions_per_game: float = 146
    kept_days: float = 0.0
    """How long a finished game stays in Redis."""
    by_game: bool = False
    """Whether the balancer sends all that belongs to a game to one instance, as hashing the path does."""

    @property
    def actions_s(self) -> float:
        """Actions a second, of all games."""
        return self.games * self.actions_per_game_s

    @property
    def finished(self) -> float:
        """Finished games that Redis still has."""
        return self.actions_s / self.actions_per_game * self.kept_days * DAY_S


class Use(msgspec.Struct, frozen=True):
    """What that takes."""

    service_cores: float
    """Cores' worth of processor time, of all instances together."""
    redis_cores: float
    redis_bytes: float
    service_bytes: float
    sent_bytes_s: float
    """To the sockets."""


def predict(costs: Costs, load: Load, instances: int) -> Use:
    """What `load` takes, spread evenly over so many instances."""
    rate = load.actions_s
    others = 0 if load.by_game else instances - 1
    moved = others / instances
    """How often the instance that acts is not the one that acted before: players connect where they like."""
    following = others_watching(instances, load.sockets_per_game) if others else 0.0
    service_us = (
        costs.action_us
        + moved * costs.reload_us
        + load.sockets_per_game * costs.delivery_us
        + (instances - 1) * costs.hint_us
        + following * costs.follow_us
    )
    redis_us = (
        costs.redis_action_us
        + moved * costs.redis_reload_us
        + (instances - 1) * costs.redis_hint_us
        + following * costs.redis_follow_us
    )
    return Use(
        service_cores=rate * service_us / 1e6,
        redis_cores=rate * redis_us / 1e6,
        redis_bytes=_redis_bytes(costs, load),
        service_bytes=instances * costs.instance_bytes + load.games * load.sockets_per_game * costs.socket_bytes,
        sent_bytes_s=rate * load.sockets_per_game * costs.diff_bytes,
    )


def _redis_bytes(costs: Costs, load: Load) -> float:
    """A game is half full on the average; its answers are kept for a day, however long it lasts."""
    day = min(DAY_S * load.actions_per_game_s, load.actions_per_game / 2) / load.actions_per_game
    playing = costs.snapshot_bytes / 2 + costs.log_bytes / 2 + day * costs.answers_bytes
    ended = load.finished * (costs.snapshot_bytes + costs.log_bytes)
    answers_of_ended = min(load.finished, load.actions_s / load.actions_per_game * DAY_S) * costs.answers_bytes
    return load.games * playing + ended + answers_of_ended


def others_watching(instances: int, sockets: float) -> float:
    """How many instances besides the one that acts have at least one of a game's sockets, spread at random.

    >>> others_watching(1, 2), others_watching(2, 1), round(others_watching(100, 2), 2)
    (0.0, 0.5, 1.97)
    """
    return (instances - 1) * (1.0 - float((1 - 1 / instances) ** sockets))

"""The guarantees for acknowledged actions by deployment, and the fault that each is tested with.

`docs/durability.md` describes them; its figures are those of `python -m verification.durability`.
"""

from typing import Literal, NamedTuple

from service.store.pipeline import Wait

Deployment = Literal["embedded", "standalone", "sentinel", "cluster"]
Fault = Literal["kill", "kill, slow disk", "power", "partition"]
"""SIGKILL of the primary; the same during a slow fsync; SIGKILL and loss of data that was not synced; a network
partition with the primary and all writers on one side, replicas and sentinels on the other."""

MIN_REPLICAS = ("min-replicas-to-write 1", "min-replicas-max-lag 1")


class Guarantee(NamedTuple):
    """A deployment, a fault, and which acknowledged actions the fault may lose."""

    deployment: Deployment
    settings: tuple[str, ...]
    fault: Fault
    max_loss_age_s: float | None
    """What was acknowledged within so many seconds before the fault (for a partition: or after it) may be lost.

    0: nothing; None: everything.
    """
    wait: Wait | None = None
    must_lose: bool = False
    """Whether the fault always loses something, so that a trial without a loss tested nothing."""

    @property
    def name(self) -> str:
        """The name of the test, and of the row in the table."""
        wait = [f"WAIT {self.wait.replicas}"] if self.wait else []
        return ", ".join([self.deployment, *self.settings, *wait, self.fault])


GUARANTEES = (
    Guarantee("embedded", (), "kill", 2),
    Guarantee("embedded", (), "kill, slow disk", 2, must_lose=True),
    Guarantee("standalone", ("appendfsync everysec",), "kill", 2),
    Guarantee("standalone", ("appendfsync everysec",), "kill, slow disk", 2, must_lose=True),
    Guarantee("standalone", ("appendfsync everysec",), "power", 2),
    Guarantee("standalone", ("appendfsync always",), "kill", 0),
    Guarantee("standalone", ("appendfsync always",), "kill, slow disk", 0),
    Guarantee("standalone", ("appendfsync always",), "power", 0),
    Guarantee("standalone", ("appendfsync no",), "kill", 0),
    Guarantee("standalone", ("appendfsync no",), "kill, slow disk", 0),
    Guarantee("standalone", ("appendfsync no",), "power", None, must_lose=True),
    Guarantee("standalone", ("appendonly no",), "kill", None, must_lose=True),
    Guarantee("sentinel", (), "kill", 1),
    Guarantee("sentinel", (), "partition", None, must_lose=True),
    Guarantee("sentinel", MIN_REPLICAS, "kill", 1),
    Guarantee("sentinel", MIN_REPLICAS, "partition", 3),
    Guarantee("sentinel", (), "kill", 1, Wait(1)),
    Guarantee("sentinel", (), "kill", 0, Wait(2)),
    Guarantee("sentinel", (), "partition", 0, Wait(1)),
    Guarantee("cluster", (), "kill", 1),
    Guarantee("cluster", (), "kill", 0, Wait(1)),
)

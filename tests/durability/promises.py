"""What is promised about acknowledged actions, deployment by deployment, and what each promise is tried with.

`docs/durability.md` says the same in words; the figures there are `python -m tests.durability`'s.
"""

from typing import Literal, NamedTuple

from service.store.client import Wait

__all__ = ["PROMISES", "Promise"]

Deployment = Literal["embedded", "standalone", "sentinel", "cluster"]
Fault = Literal["kill", "kill, slow disk", "power", "cut off"]
"""SIGKILL of the primary; the same while an fsync takes long; SIGKILL and loss of what was not synced; a network that
carries nothing any more between the primary with all who write, and replicas and sentinels."""

MIN_REPLICAS = ("min-replicas-to-write 1", "min-replicas-max-lag 1")


class Promise(NamedTuple):
    """One row: a deployment, what happens to it, and how old an acknowledged action is that may be lost by that."""

    deployment: Deployment
    settings: tuple[str, ...]
    fault: Fault
    within_s: float | None
    """Lost may be what was acknowledged so shortly before the fault (cut off: or after it); 0: nothing, None: all."""
    wait: Wait | None = None
    loses: bool = False
    """Whether something is lost for sure, or else nothing was tried."""

    @property
    def name(self) -> str:
        """For a test, and the table."""
        waits = [f"WAIT {self.wait.replicas}"] if self.wait else []
        return ", ".join([self.deployment, *self.settings, *waits, self.fault])


PROMISES = (
    Promise("embedded", (), "kill", 2),
    Promise("embedded", (), "kill, slow disk", 2, loses=True),
    Promise("standalone", ("appendfsync everysec",), "kill", 2),
    Promise("standalone", ("appendfsync everysec",), "kill, slow disk", 2, loses=True),
    Promise("standalone", ("appendfsync everysec",), "power", 2),
    Promise("standalone", ("appendfsync always",), "kill", 0),
    Promise("standalone", ("appendfsync always",), "kill, slow disk", 0),
    Promise("standalone", ("appendfsync always",), "power", 0),
    Promise("standalone", ("appendfsync no",), "kill", 0),
    Promise("standalone", ("appendfsync no",), "kill, slow disk", 0),
    Promise("standalone", ("appendfsync no",), "power", None, loses=True),
    Promise("standalone", ("appendonly no",), "kill", None, loses=True),
    Promise("sentinel", (), "kill", 1),
    Promise("sentinel", (), "cut off", None, loses=True),
    Promise("sentinel", MIN_REPLICAS, "kill", 1),
    Promise("sentinel", MIN_REPLICAS, "cut off", 3),
    Promise("sentinel", (), "kill", 1, Wait(1)),
    Promise("sentinel", (), "kill", 0, Wait(2)),
    Promise("sentinel", (), "cut off", 0, Wait(1)),
    Promise("cluster", (), "kill", 1),
    Promise("cluster", (), "kill", 0, Wait(1)),
)

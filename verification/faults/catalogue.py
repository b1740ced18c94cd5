"""All faults, and what each must show."""

from typing import NamedTuple

from service.store.embedded import SOCKET
from verification.chaos import faults as chaos
from verification.faults import faults
from verification.faults.deployment import Redis
from verification.faults.faults import Inject, from_chaos

NOTHING = "Nothing."


class FaultType(NamedTuple):
    """A fault, and what must be seen of it."""

    name: str
    redis: Redis
    inject: Inject
    log: str = ""
    """A pattern of the line that the service, or the command, must log."""
    alert: str = ""
    """The alert that must fire; empty: the service goes on by itself, and nobody must act."""
    act: str = NOTHING
    lasts_s: float = 3.0
    """How long it lasts without an alert."""
    recovers_s: float = 10.0
    """Within how many seconds all players must move again: after the fault, or after the repair if somebody acts."""
    may_lose: str = ""
    """Words in bold of docs/durability.md that allow a loss of what was acknowledged."""
    settings: tuple[str, ...] = ()
    """Lines of Redis' configuration."""
    flags: tuple[str, ...] = ()
    """Of the service; `{directory}` is that of the run."""
    wrapper: tuple[str, ...] = ()
    """A command that starts the instances."""
    is_alone: bool = False
    """Whether it needs a deployment for itself."""
    log_from_fault: bool = True
    """Whether the line comes after the fault; else it may be of the start."""

    @property
    def deployment(self) -> tuple[object, ...]:
        """What it has in common with the faults that may follow it in the same deployment."""
        return self.redis, self.settings, self.flags, self.wrapper, self.name if self.is_alone else ""


FAILED_OVER = "Redis has failed over"
FAILS = "Redis (?:still )?fails commands"
NOT_WRITABLE = "SouthSeasRedisNotWritable"
RESTORE = (
    "Restore ([operating](operating.md#backup-and-restore)), then tell the players: moves after the backup are lost."
)
LOST_DATA = "all since the last backup"

FAULT_TYPES = (
    FaultType("primary killed, Sentinel", "sentinel", from_chaos(chaos.kill_primary), FAILED_OVER),
    FaultType("primary hangs, Sentinel", "sentinel", from_chaos(chaos.pause_primary), FAILED_OVER, lasts_s=6),
    FaultType("primary cut off, Sentinel", "sentinel", from_chaos(chaos.isolate_primary), FAILED_OVER, lasts_s=6),
    FaultType("planned failover, Sentinel", "sentinel", from_chaos(chaos.fail_over_as_planned), FAILED_OVER),
    FaultType("primary killed, Cluster", "cluster", from_chaos(chaos.kill_primary), FAILED_OVER),
    FaultType("primary hangs, Cluster", "cluster", from_chaos(chaos.pause_primary), FAILED_OVER, lasts_s=6),
    FaultType("primary cut off, Cluster", "cluster", faults.primary_cut_off, FAILED_OVER, lasts_s=6),
    FaultType("planned failover, Cluster", "cluster", from_chaos(chaos.fail_over_as_planned), FAILED_OVER),
    FaultType(
        "a primary and its replicas gone, Cluster",
        "cluster",
        faults.shard_gone,
        FAILS,
        NOT_WRITABLE,
        "Start them.",
    ),
    FaultType(
        "no slots, Cluster",
        "cluster",
        faults.slots_gone,
        FAILS,
        NOT_WRITABLE,
        "Assign the slots to their primaries again.",
    ),
    FaultType(
        "replicas gone",
        "sentinel",
        faults.replicas_gone,
        FAILS,
        NOT_WRITABLE,
        "Start them.",
    ),
    FaultType(
        "Redis stopped",
        "standalone",
        faults.redis_down,
        FAILS,
        "SouthSeasRedisUnavailable",
        "Start it.",
    ),
    FaultType(
        "Redis full",
        "standalone",
        faults.redis_full,
        FAILS,
        NOT_WRITABLE,
        "Raise `maxmemory`. Never set an eviction policy.",
    ),
    FaultType(
        "disk full, append-only file",
        "standalone",
        from_chaos(chaos.fill_disk),
        FAILS,
        "SouthSeasRedisFiles",
        "Free the disk.",
    ),
    FaultType(
        "disk full, RDB file",
        "standalone",
        faults.disk_full_by_rdb,
        FAILS,
        "SouthSeasRedisFiles",
        'Free the disk, and set `save ""`.',
        settings=("save 1 1",),
        recovers_s=20,
    ),
    FaultType(
        "FLUSHALL",
        "standalone",
        faults.flushall,
        "was emptied",
        "SouthSeasRedisEmptied",
        RESTORE,
        may_lose=LOST_DATA,
        is_alone=True,
        recovers_s=90,
    ),
    FaultType(
        "Redis replaced by an empty one",
        "standalone",
        faults.redis_replaced,
        "was emptied|has other data",
        "SouthSeasRedisEmptied",
        RESTORE,
        may_lose=LOST_DATA,
        is_alone=True,
        recovers_s=90,
    ),
    FaultType(
        "Redis back with older files",
        "standalone",
        faults.redis_with_older_files,
        "went back by",
        "SouthSeasRedisWentBack",
        "Put newer files back if there are any; else tell the players.",
        may_lose="what is newer than they are",
        is_alone=True,
    ),
    FaultType(
        "Redis' clock 70 days ahead for 6 s",
        "standalone",
        faults.clock_ahead,
        "clock .* is 70 days",
        "SouthSeasRedisClock",
        f"Fix the clock. {RESTORE}",
        may_lose="what expires by the time it shows",
        is_alone=True,
        recovers_s=90,
    ),
    FaultType(
        "the files of an embedded server deleted",
        "embedded",
        faults.embedded_files_deleted,
        "has lost its file",
        NOT_WRITABLE,
        f"Put a copy of the files back, and restart it. {RESTORE}",
        may_lose=LOST_DATA,
        recovers_s=90,
    ),
    FaultType(
        "an eviction policy",
        "standalone",
        faults.eviction_policy,
        "",
        "SouthSeasRedisEvicts",
        "Set `maxmemory-policy noeviction`.",
    ),
    FaultType(
        "a name moves 8 s after the failover",
        "standalone",
        faults.name_moves_late,
        FAILS,
        lasts_s=8,
        recovers_s=15,
        settings=(f"unixsocket {SOCKET}",),
        is_alone=True,
    ),
    FaultType(
        "a replica gone",
        "sentinel",
        faults.a_replica_gone,
        "",
        "SouthSeasRedisReplicas",
        "Start it.",
    ),
    FaultType(
        "all Sentinels gone",
        "sentinel",
        faults.sentinels_gone,
        "",
        "SouthSeasRedisSentinels",
        "Start them.",
    ),
    FaultType(
        "a right missing",
        "standalone",
        faults.right_missing,
        FAILS,
        NOT_WRITABLE,
        "Fix the ACL ([operating](operating.md#redis)).",
    ),
    FaultType(
        "password changed",
        "standalone",
        faults.password_changed,
        "WRONGPASS|invalid username-password|password",
        "SouthSeasRedisUnavailable",
        "Fix the Secret or the ACL, restart the pods.",
    ),
    FaultType(
        "archive not writable",
        "standalone",
        faults.archive_not_writable,
        "is not archived yet",
        "SouthSeasArchiveBehind",
        "Repair the storage or its credentials.",
        flags=("--archive-url", "file://{directory}/archive"),
    ),
    FaultType(
        "a damaged game",
        "standalone",
        faults.game_damaged,
        "game .* failed",
        "SouthSeasGamesFail",
        "Restore it from a backup ([runbook](runbooks.md#southseasgamesfail)).",
        may_lose=LOST_DATA,
        recovers_s=90,
    ),
    FaultType(
        "a backup with a damaged game",
        "standalone",
        faults.backup_with_damaged_game,
        "failed",
        "SouthSeasBackupIncomplete",
        "Restore the game from an older backup.",
    ),
    FaultType(
        "no backup",
        "standalone",
        faults.no_backup,
        "",
        "SouthSeasBackupMissing",
        "Run a backup now, and repair what stops it.",
    ),
    FaultType(
        "a backup after a loss",
        "standalone",
        faults.backup_after_loss,
        "marked LOSS",
        "SouthSeasBackupLoss",
        "Restore the backup before it, and export again ([operating](operating.md#backup-and-restore)).",
        may_lose=LOST_DATA,
        is_alone=True,
        recovers_s=90,
    ),
    FaultType(
        "a log without its beginning",
        "standalone",
        faults.log_without_beginning,
        "version 1 is missing",
        "SouthSeasGamesFail",
        "Restore the game from a backup ([runbook](runbooks.md#southseasgamesfail)).",
        may_lose=LOST_DATA,
        is_alone=True,
        recovers_s=90,
    ),
    FaultType(
        "a log of another version",
        "standalone",
        faults.log_of_another_version,
        "needs the dictionary",
        "SouthSeasBackupIncomplete",
        "Start the version that wrote it, or restore the game from an older backup.",
    ),
    FaultType("an instance killed and started again", "standalone", from_chaos(chaos.kill_instance), "", lasts_s=2),
    FaultType(
        "an instance gone",
        "standalone",
        faults.instance_gone,
        "",
        "SouthSeasDown",
        "Find out why Kubernetes does not replace it.",
    ),
    FaultType(
        "all instances gone",
        "standalone",
        faults.all_instances_gone,
        "",
        "SouthSeasDown",
        "As above.",
        recovers_s=30,
    ),
    FaultType(
        "an instance cut off from Redis",
        "standalone",
        faults.instance_cut_off,
        FAILS,
        "SouthSeasInstanceCutOff",
        "Stop it, and repair its way to Redis.",
    ),
    FaultType(
        "an event loop blocked",
        "standalone",
        faults.loop_blocked,
        "",
        "SouthSeasDown",
        "Kubernetes replaces the pod; elsewhere restart it.",
    ),
    FaultType("SIGTERM during a request", "standalone", faults.stopped_in_mid_request, "", lasts_s=1, recovers_s=5),
    FaultType(
        "file descriptors used up",
        "standalone",
        faults.files_used_up,
        "the limit on open files",
        "SouthSeasFilesRunOut",
        "Add instances, or raise the limit (`ulimit -Hn`).",
        wrapper=faults.LIMITED_FILES,
        log_from_fault=False,
    ),
    FaultType(
        "memory used up", "standalone", faults.memory_used_up, "out of memory", lasts_s=1, recovers_s=15, is_alone=True
    ),
    FaultType(
        "a setting that does not exist",
        "standalone",
        faults.setting_renamed,
        "there is no setting",
        "SouthSeasUpdateStuck",
        "Correct it, or run `rollout undo`: the update waits, and the old pods go on.",
    ),
    FaultType(
        "the proxy is not trusted",
        "standalone",
        faults.proxy_not_trusted,
        "is limited as one client, but forwards for others",
        "SouthSeasProxyNotTrusted",
        "Name its network in `SOUTH_SEAS_TRUSTED_PROXIES` (step 5).",
        recovers_s=40,
    ),
    FaultType(
        "a proxy cuts sockets too soon",
        "standalone",
        faults.sockets_cut,
        "",
        "SouthSeasSocketsCut",
        "Raise its time-out (step 4).",
    ),
    FaultType("a client floods the service", "standalone", faults.flood, "", lasts_s=5, is_alone=True),
)

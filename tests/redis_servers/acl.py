"""The least permissions of the service's Redis user as ACL rules, as in docs/operating.md.

The user `default` may be `off`, but must keep its permissions (`off ~* &* +@all`). Redis loads its append-only file as
that user, and without them it silently skips every script that wrote more than once.
"""

_COMMANDS = (
    # connections
    *("auth", "hello", "info", "ping", "select", "wait"),
    # games, their logs and idempotency records
    *("del", "eval", "evalsha", "exists", "expire", "get", "hdel", "hexists", "hget", "hgetall", "hmget", "hset"),
    *("pexpire", "pttl", "scan", "set", "setrange", "time", "xadd", "xrange"),
    # indexes, schedules and delivery attempts of webhooks
    *("lindex", "lpush", "lrange", "ltrim", "rpush"),
    *("zadd", "zcard", "zrandmember", "zrange", "zrem", "zscore"),
    # change notifications
    *("publish", "pubsub", "subscribe", "unsubscribe"),
)

_CLUSTER_COMMANDS = ("asking", "cluster|slots", "spublish", "ssubscribe", "sunsubscribe")

ACL = " ".join(("~south-seas:* &south-seas:* -@all", *(f"+{command}" for command in _COMMANDS)))
"""Rules for `ACL SETUSER NAME on >PASSWORD ...`: keys and channels, then commands."""

CLUSTER_ACL = " ".join((ACL, *(f"+{command}" for command in _CLUSTER_COMMANDS)))
"""The same for a Cluster."""

SENTINEL_ACL = "+auth +hello +sentinel|get-master-addr-by-name"
"""Rules for the user of the sentinels, if they require one."""

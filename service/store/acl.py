"""What the service's user must be allowed to do in Redis: enough for an ACL that allows nothing else.

The user `default` may be switched `off`, but must keep its rights (`off ~* &* +@all`): Redis loads its append-only file
as that user, and without them silently leaves out every script that wrote more than once.
"""

__all__ = ["ACL", "CLUSTER_ACL", "SENTINEL_ACL"]

_COMMANDS = (
    # the connection
    *("auth", "hello", "ping", "select", "wait"),
    # games, their logs and answers
    *("del", "eval", "evalsha", "exists", "expire", "get", "hdel", "hexists", "hget", "hgetall", "hmget", "hset"),
    *("pexpire", "pttl", "scan", "set", "setrange", "time", "xadd", "xrange"),
    # what games are found by, and attempts at webhooks
    *("lindex", "lpush", "lrange", "ltrim", "rpush"),
    *("zadd", "zcard", "zrandmember", "zrange", "zrem", "zscore"),
    # announcements
    *("publish", "pubsub", "subscribe", "unsubscribe"),
)

_CLUSTER_COMMANDS = ("asking", "cluster|slots", "spublish", "ssubscribe", "sunsubscribe")

ACL = " ".join(("~south-seas:* &south-seas:* -@all", *(f"+{command}" for command in _COMMANDS)))
"""For `ACL SETUSER NAME on >PASSWORD ...`: keys and channels, then commands."""

CLUSTER_ACL = " ".join((ACL, *(f"+{command}" for command in _CLUSTER_COMMANDS)))
"""The same where it is a Cluster."""

SENTINEL_ACL = "+auth +hello +sentinel|get-master-addr-by-name"
"""For the sentinels' own user, where they have one."""

"""What the service's user must be allowed in Redis; docs/operating.md has it as rules for `ACL SETUSER`.

Each command stands with arguments of a complete call, since Redis may crash when it is asked about an incomplete one.
`K` is a key, and `C` a channel.
"""

COMMANDS = {
    # connections
    "auth": "user password",
    "hello": "3",
    "info": "memory",
    "ping": "",
    "select": "0",
    "wait": "0 0",
    # games, their logs and idempotency records
    "del": "K",
    "eval": "script 1 K",
    "evalsha": "hash 1 K",
    "exists": "K",
    "expire": "K 1",
    "get": "K",
    "hdel": "K field",
    "hexists": "K field",
    "hget": "K field",
    "hgetall": "K",
    "hmget": "K field",
    "hset": "K field value",
    "pexpire": "K 1",
    "pttl": "K",
    "scan": "0",
    "set": "K value",
    "time": "",
    "xadd": "K * field value",
    "xrange": "K - +",
    # indexes, schedules and delivery attempts of webhooks
    "lindex": "K 0",
    "lpush": "K value",
    "lrange": "K 0 1",
    "ltrim": "K 0 1",
    "rpush": "K value",
    "zadd": "K 1 member",
    "zcard": "K",
    "zrandmember": "K",
    "zrange": "K 0 1",
    "zrem": "K member",
    "zscore": "K member",
    # change notifications
    "publish": "C message",
    "pubsub": "numsub C",
    "subscribe": "C",
    "unsubscribe": "C",
}

CLUSTER_COMMANDS = {"asking": "", "cluster|slots": "", "spublish": "C message", "ssubscribe": "C", "sunsubscribe": "C"}
"""On a Cluster, beside the others; a vertical bar is before a subcommand."""

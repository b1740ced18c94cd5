"""The least permissions of the service's Redis user as ACL rules, as in docs/operating.md.

The user `default` may be `off`, but must keep its permissions (`off ~* &* +@all`). Redis loads its append-only file as
that user, and without them it silently skips every script that wrote more than once.
"""

from service.store.server_check import CLUSTER_COMMANDS, COMMANDS

ACL = " ".join(("~south-seas:* &south-seas:* -@all", *(f"+{command}" for command in COMMANDS)))
"""Rules for `ACL SETUSER NAME on >PASSWORD ...`: keys and channels, then commands."""

CLUSTER_ACL = " ".join((ACL, *(f"+{command}" for command in CLUSTER_COMMANDS)))
"""The same for a Cluster."""

SENTINEL_ACL = "+auth +hello +sentinel|get-master-addr-by-name"
"""Rules for the user of the sentinels, if they require one."""

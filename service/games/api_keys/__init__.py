"""API keys of hosts of many players: their secrets and quotas, and who presents one."""

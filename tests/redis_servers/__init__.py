"""Deployments of real Redis servers for one test: standalone, Sentinel and Cluster.

    async with sentinel(directory) as deployment:
        async with connect(deployment.url) as store: ...
        old = await deployment.primary()
        old.kill()
        await deployment.wait_for_promotion(old)

Every server is a child of this process on a free port of 127.0.0.1 with its own directory. It ends with the
context, or with this process.
"""

from tests.redis_servers.access import Access, create_access
from tests.redis_servers.deployment import Deployment
from tests.redis_servers.node import Node
from tests.redis_servers.topologies import SERVICE_NAME, cluster, sentinel, standalone

__all__ = ["SERVICE_NAME", "Access", "Deployment", "Node", "cluster", "create_access", "sentinel", "standalone"]

"""Redis as it is deployed, each a set of real servers of a test's own: standalone, Sentinel and Cluster.

    async with sentinel(directory) as deployment:
        async with connect(deployment.url) as store: ...
        old = await deployment.primary()
        old.kill()
        await deployment.promoted(old)

Every server is a child of this process on a free port of 127.0.0.1 with a directory of its own, and ends with the
context, or with this process. A server that runs already is never used.
"""

from tests.redis_servers.access import Access, secured
from tests.redis_servers.deployment import Deployment
from tests.redis_servers.node import Node
from tests.redis_servers.topologies import SERVICE, cluster, sentinel, standalone

__all__ = ["SERVICE", "Access", "Deployment", "Node", "cluster", "secured", "sentinel", "standalone"]

"""Asking the sentinels which server is the primary."""

import asyncio
from collections import Counter

from service.store.link import Link, LinkLost, open_link
from service.store.refusals import Refused
from service.store.where import Place, Where
from service.supervision import spawn

__all__ = ["Sentinels"]


class Sentinels:
    """Those of a URL, each over a connection that is kept."""

    def __init__(self, where: Where) -> None:
        self._where = where
        self._links: dict[Place, Link] = {}

    async def primary(self) -> Place:
        """What most of them say, so that one who has not heard of a failover yet does not count.

        Raises LinkLost where none answers or knows the service.
        """
        failures = (LinkLost, Refused)
        asking = [spawn("sentinel", self._ask(place), expected=failures) for place in self._where.places]
        said: Counter[Place] = Counter()
        reason = ""
        try:
            for answered in asyncio.as_completed(asking):
                try:
                    place = await answered
                except failures as error:
                    reason = str(error)
                    continue
                said[place] += 1
                if said[place] > len(asking) // 2:
                    return place
        finally:
            for one in asking:
                one.cancel()
            await asyncio.gather(*asking, return_exceptions=True)
        if not said:
            raise LinkLost(f"no sentinel names a primary ({reason})")
        return said.most_common(1)[0][0]

    def close(self) -> None:
        """Close all connections."""
        for link in self._links.values():
            link.abort("closed")

    async def _ask(self, place: Place) -> Place:
        """What one of them says; its connection is given up where it does not answer."""
        link = self._links.get(place)
        if link is None or not link.open:
            link, role = await open_link(self._where, place, login=self._where.sentinel_login)
            self._links[place] = link
            if role != "sentinel":
                link.abort("no sentinel")
                raise LinkLost(f"{place} is no sentinel")
        try:
            found = await link.ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._where.service)
        except TimeoutError:
            link.abort("no answer")
            raise LinkLost(f"sentinel {place} does not answer") from None
        if not found:
            raise LinkLost(f"sentinel {place} knows no {self._where.service}")
        try:
            host, port = found
            return Place(host.decode(), int(port))
        except ValueError:
            raise LinkLost(f"sentinel {place} does not name an address") from None

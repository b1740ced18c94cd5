"""The channels of this process, by game."""

from service.games.ports import GameStore
from service.games.realtime.channel import Channel
from service.games.realtime.stream_position import StreamPosition

__all__ = ["ChannelRegistry"]


class ChannelRegistry:
    """All channels; the store sends notifications of exactly their games."""

    def __init__(self, store: GameStore) -> None:
        self.channels: dict[str, Channel] = {}
        """By game; changed by `open` and `close` only."""
        self._store = store

    def open(self, game: str, position: StreamPosition, last_revocation: str) -> Channel:
        """Add a channel, which begins at this position."""
        channel = self.channels[game] = Channel(game, position, last_revocation)
        self._store.subscribe(game)
        return channel

    def close(self, channel: Channel) -> None:
        """Remove a channel, and wake everybody who waits for it."""
        if not channel.is_closed:
            channel.is_closed = True
            del self.channels[channel.game]
            self._store.unsubscribe(channel.game)
        channel.notify_read()

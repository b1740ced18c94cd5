"""What a client can make grow, and how long things may take; each is a setting of `south-seas serve`."""

from typing import NamedTuple


class Limits(NamedTuple):
    """The web side's settings."""

    max_body_bytes: int = 65_536
    """Largest request body; more is 413."""
    max_message_bytes: int = 65_536
    """Largest message that a socket may send; more closes it with 4413."""
    max_unsent_bytes: int = 1_048_576
    """A watcher with more than this unsent can't keep up and is closed with 4429."""
    max_subscriptions: int = 1_000
    """Games that one socket may watch."""
    ping_interval_s: float = 20.0
    """A protocol ping to each socket; one that does not answer by the next is closed with 4408."""
    sse_comment_s: float = 15.0
    """A comment on each event stream."""
    sweep_s: float = 1.0
    """How often the watched games' versions are compared with the store's, in case a hint was lost."""
    max_webhooks: int = 10
    """Webhooks that one game may have; more are 409."""
    webhook_timeout_s: float = 10.0
    """How long a webhook's server may take to answer."""
    webhooks_allow_private: bool = False
    """Whether webhooks may be sent to private addresses and over plain http."""
    drain_s: float = 3.0
    """On SIGTERM: how long everything is still served while /readyz answers 503."""
    close_spread_s: float = 2.0
    """On SIGTERM: over how long the sockets are told and closed with 1012."""

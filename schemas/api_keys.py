"""API keys of hosts of many players."""

from typing import Annotated

from msgspec import Meta

from schemas.base import ResponseModel
from schemas.game import Timestamp
from schemas.vocabulary import Id

Quota = Annotated[int, Meta(ge=1, examples=[1000])]


class ApiKeyView(ResponseModel):
    """An API key, for its holder."""

    name: Id
    """The name that the operator gave it."""
    created_at: Timestamp
    games_per_hour: Quota
    """New games and rematches."""
    requests_per_minute: Quota
    """Requests that carry the key."""
    bot_turns_per_hour: Quota
    """Turns of bots in requests that carry the key; one of a heavy bot counts as ten."""
    rotated_at: Timestamp
    """When the current secret was made."""
    previous_secret_expires_at: Timestamp | None
    """When the secret before it expires, or expired; null if there was none."""

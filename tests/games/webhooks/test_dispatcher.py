"""When a webhook that got no slot is tried again."""

from unittest.mock import AsyncMock, Mock

import pytest

from service.games.webhooks.delivery_slots import DeliverySlots, HostStatus
from service.games.webhooks.dispatcher import NO_SLOT_DELAY_S, SLOW_HOST_DELAY_RANGE_S, WebhookDispatcher


@pytest.mark.parametrize(
    ("status", "fraction", "expected"),
    (
        (HostStatus.UNKNOWN, 0.5, NO_SLOT_DELAY_S),
        (HostStatus.SLOW, 0.0, SLOW_HOST_DELAY_RANGE_S[0]),
        (HostStatus.SLOW, 0.5, sum(SLOW_HOST_DELAY_RANGE_S) // 2),
        (HostStatus.SLOW, 0.999, SLOW_HOST_DELAY_RANGE_S[1] - 1),
    ),
)
def test_slow_hosts_wait_for_a_random_time(status: HostStatus, fraction: float, expected: int) -> None:
    slots = Mock(DeliverySlots, host_status=Mock(return_value=status))
    dispatcher = WebhookDispatcher(Mock(), AsyncMock(), lambda: 0.0, slots=slots, random_fraction=lambda: fraction)
    assert dispatcher._delay_without_slot_s("https://bot.example/") == expected

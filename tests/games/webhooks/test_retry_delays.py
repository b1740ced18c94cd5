"""docs/webhooks.md names the delay before each retry."""

import re

from service.games.webhooks.dispatcher import RETRY_DELAYS_S
from tests.tools import ROOT

SECONDS = {"s": 1, "min": 60, "h": 3600}


def test_the_guide_names_every_retry_delay() -> None:
    text = (ROOT / "docs" / "webhooks.md").read_text(encoding="utf-8")
    sentence = re.search(r"It retries after (.+?), with some variation", text, re.DOTALL)
    assert sentence is not None
    delays = [int(number) * SECONDS[unit] for number, unit in re.findall(r"(\d+) (s|min|h)\b", sentence[1])]
    assert delays == list(RETRY_DELAYS_S)

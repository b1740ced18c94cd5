"""The lesson of the page, played through with the real tile set and bot by doing what it suggests."""

import asyncio
import json

from tests.tools import NODE, ROOT, require, run
from tests.web.app_server import Client

MAX_TURNS = 16
"""Turns of both players; a learner needs some 15 seconds for each of their own."""


async def test_the_lesson_explains_everything_within_a_few_turns(client: Client) -> None:
    """Where a new tile set or bot makes it fail, `node scripts/lesson.mjs URL --search 300` finds another seed."""
    script = "clients/page/scripts/lesson.mjs"
    output = await asyncio.to_thread(run, require(NODE), script, str(client.make_url("/")), cwd=ROOT)
    lesson = json.loads(output)
    assert lesson["missing"] == []
    assert lesson["told"]["over"] <= MAX_TURNS

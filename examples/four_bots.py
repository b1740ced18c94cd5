"""Four simple bots play a game over HTTP while a socket follows it: `python examples/four_bots.py [URL]`.

Nothing of the service is imported: this is all that a client in any language needs.
"""

import asyncio
import random
import sys
from typing import Any
from uuid import uuid4

from aiohttp import ClientSession

NAMES = ("Ana", "Bo", "Cy", "Di")
EAGER = ("deliver", "take_ship", "place_islander", "place_tile", "retrieve_islander", "pass")


def choose(moves: list[dict[str, Any]]) -> str:
    """Deliver before placing, place before passing; any of the equally good ones."""
    best = min(EAGER.index(move["action"]["type"]) for move in moves)
    return str(random.choice([move["id"] for move in moves if move["action"]["type"] == EAGER[best]]))


async def play(http: ClientSession, game: dict[str, Any], tokens: dict[int, str]) -> int:
    """Act for whoever must decide until nobody does; gives the last version."""
    path = f"/v1/games/{game['id']}"
    async with http.get(f"{path}/legal-moves") as answer:
        legal = await answer.json()
    while legal["moves"]:
        headers = {
            "Authorization": f"Bearer {tokens[legal['seat']]}",
            "If-Match": f'"{legal["version"]}-{legal["digest"]}"',
            "Idempotency-Key": str(uuid4()),
        }
        move = {"move": choose(legal["moves"])}
        async with http.post(f"{path}/actions?include=legal_moves", json=move, headers=headers) as answer:
            legal = (await answer.json())["legal_moves"]
    return int(legal["version"])


async def follow(http: ClientSession, game: dict[str, Any], digest: str) -> list[dict[str, Any]]:
    """Every diff after the game's creation, until it is finished."""
    diffs: list[dict[str, Any]] = []
    since = {"since": game["version"], "digest": digest}
    async with http.ws_connect(f"/v1/games/{game['id']}/ws", params=since) as socket:
        async for message in socket:
            diff = message.json()
            if diff["type"] == "diff":
                diffs.append(diff)
                if any(event["type"] == "game_finished" for event in diff["events"]):
                    break
    return diffs


async def main(url: str) -> None:
    """Create the game, play and follow it at the same time, and compare."""
    async with ClientSession(url, raise_for_status=True) as http:
        async with http.post("/v1/games", json={"players": [{"name": name} for name in NAMES]}) as answer:
            created = await answer.json()
        game, tokens = created["game"], {seat["seat"]: seat["token"] for seat in created["seats"]}
        diffs, version = await asyncio.gather(follow(http, game, created["digest"]), play(http, game, tokens))
        if [diff["version"] for diff in diffs] != [*range(game["version"] + 1, version + 1)]:
            sys.exit(f"The socket did not bring every version up to {version} once and in order.")
        async with http.get(f"/v1/games/{game['id']}") as answer:
            result = (await answer.json())["result"]
        print(f"Game {game['id']}: {len(diffs)} moves, each seen once and in order on the socket ({result['reason']}).")
        for score in sorted(result["scores"], key=lambda score: -score["total"]):
            won = "  won" if score["seat"] in result["winners"] else ""
            print(f"{NAMES[score['seat']]:>4} {score['total']:>3} = {score['ships']} + {score['wares']}{won}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"))

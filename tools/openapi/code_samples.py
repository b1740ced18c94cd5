"""Code samples of the operations, as `x-codeSamples`: curl, and the methods of the client libraries."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from service.web.routing import Route

__all__ = ["CALLS", "make_code_samples"]

URL = "http://127.0.0.1:8080"
"""The viewer shows its own address instead."""

GAME, HOOK, TILE_SET = "k7m2x9qd4t1w", "w4k8x1m7q2zc", "lagoon"

PATH_VALUES = {"id": GAME, "hook": HOOK, "seat": "2", "tile": "junction-4", "ship": "s16"}


class Call(NamedTuple):
    """The methods of an operation in the clients for Python and TypeScript, with arguments."""

    python: str
    typescript: str
    models: str = ""
    """The models that the Python call names."""


_WEBHOOK = 'url="https://bot.example/south-seas", events=["decision"]'
_WEBHOOK_TS = '{ url: "https://bot.example/south-seas", events: ["decision"] }'

CALLS: Mapping[str, Call] = {
    "listTileSets": Call("tilesets()", "tilesets()"),
    "readTileSet": Call(f'tileset("{TILE_SET}")', f'tileset("{TILE_SET}")'),
    "listGames": Call('games("waiting")', 'games({ status: "waiting" })'),
    "createGame": Call(
        'create(CreateGame(players=[SeatRequest(name="Ana"), SeatRequest(bot="greedy")]))',
        'createGame({ players: [{ name: "Ana" }, { bot: "greedy" }] })',
        "CreateGame, SeatRequest",
    ),
    "readGame": Call(f'game("{GAME}")', f'game("{GAME}")'),
    "abortGame": Call(f'abort("{GAME}")', f'abortGame("{GAME}")'),
    "createRematch": Call(f'rematch("{GAME}")', f'rematch("{GAME}")'),
    "joinGame": Call(f'join("{GAME}", JoinGame(name="Bo"))', f'joinGame("{GAME}", {{ name: "Bo" }})', "JoinGame"),
    "removePlayer": Call(f'remove_player("{GAME}", 2)', f'removePlayer("{GAME}", 2)'),
    "replaceSeatToken": Call(f'replace_token("{GAME}", 2)', f'replaceSeatToken("{GAME}", 2)'),
    "listMyGames": Call("my_games([token], waiting=True)", "myGames({ waiting: true }, [token])"),
    "listBots": Call("bots()", "bots()"),
    "readScores": Call(f'scores("{GAME}")', f'scores("{GAME}")'),
    "readFeatures": Call(f'features("{GAME}", x=0, y=0)', f'features("{GAME}", {{ x: 0, y: 0 }})'),
    "readTiles": Call(f'tiles("{GAME}")', f'tiles("{GAME}")'),
    "readLegalMoves": Call(f'legal_moves("{GAME}", limit=25)', f'legalMoves("{GAME}", {{ limit: 25 }})'),
    "act": Call(
        f'act("{GAME}", "p0.-1.2", if_match="17")', f'act("{GAME}", {{ move: "p0.-1.2" }}, {{ ifMatch: "17" }})'
    ),
    "undo": Call(f'undo("{GAME}", seat=0)', f'undo("{GAME}", {{ seat: 0 }})'),
    "resign": Call(f'resign("{GAME}", seat=0)', f'resign("{GAME}", {{ seat: 0 }})'),
    "returnToSeat": Call(f'return_to_seat("{GAME}", seat=0)', f'returnToSeat("{GAME}", {{ seat: 0 }})'),
    "readDiffs": Call(f'diffs("{GAME}", since=17)', f'diffs("{GAME}", {{ since: 17 }})'),
    "readStory": Call(f'story("{GAME}", since=17)', f'story("{GAME}", {{ since: 17 }})'),
    "readBoardSvg": Call(f'board("{GAME}", "svg", side=True)', f'board("{GAME}", "svg", {{ side: true }})'),
    "readBoardPng": Call(f'board("{GAME}", width=800)', f'board("{GAME}", "png", {{ width: 800 }})'),
    "readBoardText": Call(f'board("{GAME}", "txt")', f'board("{GAME}", "txt")'),
    "readTileSvg": Call(
        f'tile_picture("{TILE_SET}", "junction-4", "svg")', f'tileUrl("{TILE_SET}", "junction-4", "svg")'
    ),
    "readTilePng": Call(f'tile_picture("{TILE_SET}", "junction-4")', f'tileUrl("{TILE_SET}", "junction-4", "png")'),
    "readTilesSvg": Call(f'tile_pictures("{TILE_SET}")', f'tilesUrl("{TILE_SET}")'),
    "readShipSvg": Call(f'ship_picture("{TILE_SET}", "s16", "svg")', f'shipUrl("{TILE_SET}", "s16", "svg")'),
    "readShipPng": Call(f'ship_picture("{TILE_SET}", "s16")', f'shipUrl("{TILE_SET}", "s16", "png")'),
    "registerWebhook": Call(
        f'register_webhook("{GAME}", RegisterWebhook({_WEBHOOK}))',
        f'registerWebhook("{GAME}", {_WEBHOOK_TS})',
        "RegisterWebhook",
    ),
    "listWebhooks": Call(f'webhooks("{GAME}")', f'webhooks("{GAME}")'),
    "readWebhook": Call(f'webhook("{GAME}", "{HOOK}")', f'webhook("{GAME}", "{HOOK}")'),
    "deleteWebhook": Call(f'delete_webhook("{GAME}", "{HOOK}")', f'deleteWebhook("{GAME}", "{HOOK}")'),
    "retryWebhook": Call(f'retry_webhook("{GAME}", "{HOOK}")', f'retryWebhook("{GAME}", "{HOOK}")'),
    "listDeliveries": Call(f'deliveries("{GAME}", "{HOOK}")', f'deliveries("{GAME}", "{HOOK}")'),
    "readApiKey": Call("key()", "key()"),
    "listApiKeyGames": Call("games()", "games()"),
    "registerKeyWebhook": Call(
        f"register_webhook(RegisterKeyWebhook({_WEBHOOK}))", f"registerWebhook({_WEBHOOK_TS})", "RegisterKeyWebhook"
    ),
    "listKeyWebhooks": Call("webhooks()", "webhooks()"),
    "readKeyWebhook": Call(f'webhook("{HOOK}")', f'webhook("{HOOK}")'),
    "changeKeyWebhook": Call(
        f'change_webhook("{HOOK}", ChangeKeyWebhook(events=["game_finished"]))',
        f'changeWebhook("{HOOK}", {{ events: ["game_finished"] }})',
        "ChangeKeyWebhook",
    ),
    "deleteKeyWebhook": Call(f'delete_webhook("{HOOK}")', f'deleteWebhook("{HOOK}")'),
    "pingKeyWebhook": Call(f'ping_webhook("{HOOK}")', f'pingWebhook("{HOOK}")'),
    "rotateKeyWebhookSecret": Call(f'rotate_secret("{HOOK}")', f'rotateSecret("{HOOK}")'),
    "retryKeyWebhook": Call(f'retry_webhook("{HOOK}")', f'retryWebhook("{HOOK}")'),
    "listKeyDeliveries": Call(f'deliveries("{HOOK}")', f'deliveries("{HOOK}")'),
}
"""By operation id. Operations that are not for players have curl alone."""


def make_code_samples(route: Route, bodies: Sequence[Any]) -> list[dict[str, str]]:
    """Return the samples of an operation; the first of the bodies is sent."""
    samples = [_sample("Shell", "curl", _curl(route, bodies))]
    if call := CALLS.get(route.operation_id):
        samples.append(_sample("Python", "Python", _python(route, call)))
        samples.append(_sample("TypeScript", "TypeScript", _typescript(route, call)))
    return samples


def _sample(lang: str, label: str, source: str) -> dict[str, str]:
    return {"lang": lang, "label": label, "source": source}


def _curl(route: Route, bodies: Sequence[Any]) -> str:
    path = route.path
    values = {**PATH_VALUES, "id": TILE_SET} if path.startswith("/v1/tilesets") else PATH_VALUES
    body = next(iter(bodies), None)
    implied = "POST" if body else "GET"
    method = "" if route.method == implied else f" -X {route.method}"
    lines = [f"curl{method} {URL}{path.format_map(values)}", *_headers(route, has_body=bool(body))]
    if body:
        lines.append(f"-d {shlex.quote(msgspec.json.encode(body).decode())}")
    if any(reply.media_type.startswith("image/") for reply in route.responses):
        lines.append(f"-o {path.rpartition('/')[2].format_map(values)}")
    return " \\\n  ".join(lines)


def _headers(route: Route, *, has_body: bool) -> Iterable[str]:
    if route.access == "key":
        yield '-H "Api-Key: $API_KEY"'
    elif route.access == "required":
        yield '-H "Authorization: Bearer $TOKEN"'
    if has_body:
        yield "-H 'Content-Type: application/json'"


def _python(route: Route, call: Call) -> str:
    name = "ApiKeyClient" if route.access == "key" else "Client"
    arguments = ", ".join([f'"{URL}"', *{"key": ["api_key"], "required": ["token"]}.get(route.access, [])])
    imports = f"from south_seas import {name}"
    if call.models:
        imports += f"\nfrom south_seas.models import {call.models}"
    call_text = f"await client.{call.python}"
    result = call_text if route.method == "DELETE" else f"print({call_text})"
    return f"{imports}\n\nasync with {name}({arguments}) as client:\n    {result}"


def _typescript(route: Route, call: Call) -> str:
    name = "ApiKeyClient" if route.access == "key" else "SouthSeas"
    options = [f'url: "{URL}"', *{"key": ["apiKey"], "required": ["token"]}.get(route.access, [])]
    is_url = call.typescript.startswith(("tileUrl", "shipUrl"))
    result = f"client.{call.typescript}" if is_url else f"await client.{call.typescript}"
    return f"""import {{ {name} }} from "south-seas-client";

const client = new {name}({{ {", ".join(options)} }});
console.log({result});"""

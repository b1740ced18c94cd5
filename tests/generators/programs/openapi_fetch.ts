/** Plays a game with openapi-fetch and the types that openapi-typescript makes, in `client.d.ts`. */

import createClient from "openapi-fetch";
import type { components, paths } from "./client.js";

type Act = components["schemas"]["Act"];
type ActionRequest = components["schemas"]["ActionRequest"];

const baseUrl = process.argv[2]!;
const client = createClient<paths>({ baseUrl });

/** Returns the data of a response; throws its problem. */
function unwrap<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

const created = unwrap(
  await client.POST("/v1/games", {
    body: { players: [{ name: "Ana" }, { bot: "random" }] },
    params: { query: { include: "legal_moves" } },
  }),
);
const id = created.game.id;
const headers = { Authorization: `Bearer ${created.seats[0]!.token}` };
const params = { path: { id }, query: { include: "legal_moves" as const } };

let legal = created.legal_moves!;
for (let turn = 0; legal.moves.length > 0; turn++) {
  const move = legal.moves[turn % legal.moves.length]!;
  const body: Act = turn % 3 === 0 ? { action: move.action as ActionRequest } : { move: move.id };
  legal = unwrap(await client.POST("/v1/games/{id}/actions", { params, headers, body })).legal_moves!;
}

const path = { id };
const game = unwrap(await client.GET("/v1/games/{id}", { params: { path } }));
const log = unwrap(await client.GET("/v1/games/{id}/diffs", { params: { path, query: { limit: 1000 } } }));
if (typeof log === "string") throw new Error("an event stream was not requested");
const tileSet = unwrap(await client.GET("/v1/tilesets/{id}", { params: { path: { id: game.tileset } } }));
const query = { width: 200, side: true };
const picture = unwrap(
  await client.GET("/v1/games/{id}/board.png", { params: { path, query }, parseAs: "arrayBuffer" }),
);
const drawn = log.diffs.flatMap((diff) => diff.events.map((event) => (event.type === "tile_drawn" ? event.tile : null)));
console.log(
  JSON.stringify({
    id: game.id,
    version: game.version,
    totals: game.result!.scores.map((score) => score.total),
    events: drawn.length,
    segments: tileSet.tiles.reduce((sum, tile) => sum + tile.segments.length, 0),
    picture: Buffer.from(picture).subarray(0, 4).toString("hex"),
  }),
);

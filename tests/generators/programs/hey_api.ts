/** Plays a game with the client that @hey-api/openapi-ts makes; `client` is its folder. */

import { client } from "./client/client.gen.js";
import { act, createGame, readBoardPng, readDiffs, readGame, readTileSet } from "./client/sdk.gen.js";
import type { Act, ActionRequest } from "./client/types.gen.js";

client.setConfig({ baseUrl: process.argv[2]! });

const { data: created } = await createGame({
  body: { players: [{ name: "Ana" }, { bot: "random" }] },
  query: { include: "legal_moves" },
  throwOnError: true,
});
const path = { id: created.game.id };
const auth = created.seats[0]!.token;

let legal = created.legal_moves!;
for (let turn = 0; legal.moves.length > 0; turn++) {
  const move = legal.moves[turn % legal.moves.length]!;
  const body: Act = turn % 3 === 0 ? { action: move.action as ActionRequest } : { move: move.id };
  const acted = await act({ path, auth, body, query: { include: "legal_moves" }, throwOnError: true });
  legal = acted.data.legal_moves!;
}

const { data: game } = await readGame({ path, throwOnError: true });
const { data: log } = await readDiffs({ path, query: { limit: 1000 }, throwOnError: true });
if (typeof log === "string") throw new Error("an event stream was not requested");
const { data: tileSet } = await readTileSet({ path: { id: game.tileset }, throwOnError: true });
const { data: picture } = await readBoardPng({ path, query: { width: 200, side: true }, throwOnError: true });
const drawn = log.diffs.flatMap((diff) => diff.events.map((event) => (event.type === "tile_drawn" ? event.tile : null)));
console.log(
  JSON.stringify({
    id: game.id,
    version: game.version,
    totals: game.result!.scores.map((score) => score.total),
    events: drawn.length,
    segments: tileSet.tiles.reduce((sum, tile) => sum + tile.segments.length, 0),
    picture: Buffer.from(await (picture as Blob).arrayBuffer()).subarray(0, 4).toString("hex"),
  }),
);

/** Plays a game with the client that openapi-generator makes for TypeScript; `client` is its folder. */

import { Configuration, GamesApi, Include, PlayingApi, TileSetsApi } from "./client/index.js";
import type { Act, ActionRequest } from "./client/index.js";

const basePath = process.argv[2]!;
const anonymous = new Configuration({ basePath });
const games = new GamesApi(anonymous);

const created = await games.createGame({
  createGame: { players: [{ name: "Ana" }, { bot: "random" }] },
  include: Include.LegalMoves,
});
const { id } = created.game;
const playing = new PlayingApi(new Configuration({ basePath, accessToken: created.seats[0]!.token }));

let legal = created.legalMoves!;
for (let turn = 0; legal.moves.length > 0; turn++) {
  const move = legal.moves[turn % legal.moves.length]!;
  const act: Act = turn % 3 === 0 ? { action: move.action as ActionRequest } : { move: move.id };
  legal = (await playing.act({ id, act, include: Include.LegalMoves })).legalMoves!;
}

const game = await games.readGame({ id });
const { diffs } = await playing.readDiffs({ id, limit: 1000 });
const tileSet = await new TileSetsApi(anonymous).readTileSet({ id: game.tileset });
const picture = await playing.readBoardPng({ id, width: 200, side: true });
const discarded = diffs.flatMap((diff) => diff.events.map((event) => (event.type === "tile_discarded" ? event.tile : "")));
console.log(
  JSON.stringify({
    id: game.id,
    version: game.version,
    totals: game.result!.scores.map((score) => score.total),
    events: discarded.length,
    segments: tileSet.tiles.reduce((sum, tile) => sum + tile.segments.length, 0),
    picture: Buffer.from(await picture.arrayBuffer()).subarray(0, 4).toString("hex"),
  }),
);

// `node boardgame.mjs POSITION.json whole|patches`: boardgame.io on a free port, set up as its documentation recommends.
// package.json pins koa-compose at 4.1: since 4.2 the lobby's routes, which boardgame.io adds late, are not found.
// A match's G is the position; a move places a tile on one of its cells. Storage is the default one, in memory.
import { readFileSync } from "node:fs";

import { INVALID_MOVE } from "boardgame.io/dist/cjs/core.js";
import { Server } from "boardgame.io/dist/cjs/server.js";

const [position, updates] = process.argv.slice(2);
const initialState = readFileSync(position, "utf8");
const cells = Object.keys(JSON.parse(initialState).board);

const game = {
  name: "tiles",
  deltaState: updates === "patches",
  disableUndo: true,
  setup: () => JSON.parse(initialState),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    place: ({ G, playerID }, cell, rotation) => {
      if (!(cell in cells) || !(rotation >= 0 && rotation < 4)) return INVALID_MOVE;
      const seat = Number(playerID);
      G.version += 1;
      G.turn.number += 1;
      G.turn.seat = 1 - seat;
      G.turn.decider = 1 - seat;
      G.players[seat].wares.shells += 1;
      G.board[cells[cell]] = {
        tile: "junction-3",
        rotation,
        order: G.turn.number,
        islanders: [{ segment: 1, seat }],
        covered: [],
      };
    },
  },
};

process.stdin.on("end", () => process.exit()).resume();
const { appServer } = await Server({ games: [game], origins: [] }).run({ port: { host: "127.0.0.1", port: 0 } });
console.log(`listens on http://127.0.0.1:${appServer.address().port}`);

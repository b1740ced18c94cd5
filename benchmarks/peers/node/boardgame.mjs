// `node boardgame.mjs POSITION.json whole|patches [REDIS_SOCKET]`: boardgame.io on a free port, set up as its
// documentation recommends. package.json pins koa-compose at 4.1: since 4.2 the lobby's routes, which boardgame.io adds
// late, are not found. A match's G is the position; a move places a tile on one of its cells.
// Storage is the default one, in memory, or that below, which writes each move to Redis before it is sent on.
import { readFileSync } from "node:fs";

import { createClient } from "@redis/client";
import { INVALID_MOVE } from "boardgame.io/dist/cjs/core.js";
import { Async } from "boardgame.io/dist/cjs/internal.js";
import { Server, SocketIO } from "boardgame.io/dist/cjs/server.js";

const [position, updates, socket] = process.argv.slice(2);
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

// Reads come from memory. A move is one write: the state, and what the move adds to the log.
class RedisStorage extends Async {
  redis = createClient({ socket: { path: socket } });
  matches = new Map();
  writes = new Map();

  async connect() {
    await this.redis.connect();
  }

  async createMatch(id, { initialState, metadata }) {
    this.matches.set(id, { initialState, metadata, log: [] });
    await this.setState(id, initialState);
  }

  async setState(id, state, added = []) {
    const match = this.matches.get(id);
    match.state = state;
    const fields = { state: JSON.stringify(state) };
    for (const entry of added) fields[`log:${match.log.push(entry)}`] = JSON.stringify(entry);
    const write = this.redis.hSet(`boardgame:${id}`, fields);
    this.writes.set(`MATCH-${id}`, write);
    await write;
  }

  async setMetadata(id, metadata) {
    this.matches.get(id).metadata = metadata;
  }

  async fetch(id) {
    return this.matches.get(id) ?? {};
  }
}

// boardgame.io publishes an update just before it calls setState, so this waits for the write that begins meanwhile.
class AfterTheWrite {
  channels = new Map();

  constructor(storage) {
    this.storage = storage;
  }

  async publish(channel, payload) {
    await null;
    await this.storage.writes.get(channel);
    this.channels.get(channel)?.(payload);
  }

  subscribe(channel, send) {
    this.channels.set(channel, send);
  }

  unsubscribeAll(channel) {
    this.channels.delete(channel);
  }
}

function durable() {
  const db = new RedisStorage();
  return { db, transport: new SocketIO({ pubSub: new AfterTheWrite(db) }) };
}

process.stdin.on("end", () => process.exit()).resume();
const server = Server({ games: [game], origins: [], ...(socket ? durable() : {}) });
const { appServer } = await server.run({ port: { host: "127.0.0.1", port: 0 } });
console.log(`listens on http://127.0.0.1:${appServer.address().port}`);

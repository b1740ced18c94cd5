// `node colyseus.mjs POSITION.json at-once|every-50-ms [REDIS_SOCKET]`: a Colyseus server with one type of room, on a
// free port. A room's state is the position as a schema; a message places a tile on one of its cells.
// Patches are sent every 50 ms, as Colyseus does by default, or with `broadcastPatch()` after each move.
// With Redis a move is in a stream first; Colyseus' own drivers store which rooms there are, not their states.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

import { Room, Server } from "@colyseus/core";
import { schema, t } from "@colyseus/schema";
import { WebSocketTransport } from "@colyseus/ws-transport";
import { createClient } from "@redis/client";

const [position, patches, socket] = process.argv.slice(2);
const redis = socket && (await createClient({ socket: { path: socket } }).connect());
const initialState = JSON.parse(readFileSync(position, "utf8"));
const cells = Object.keys(initialState.board);

const Islander = schema({ segment: t.number(), seat: t.number() }, "Islander");
const Covered = schema({ segment: t.number(), group: t.number() }, "Covered");
const Cell = schema(
  {
    tile: t.string(),
    rotation: t.number(),
    order: t.number(),
    islanders: t.array(Islander),
    covered: t.array(Covered),
  },
  "Cell",
);
const Wares = schema({ bananas: t.number(), shells: t.number(), fish: t.number() }, "Wares");
const Player = schema(
  {
    seat: t.number(),
    name: t.string(),
    color: t.string(),
    kind: t.string(),
    supply: t.number(),
    wares: Wares,
    ships: t.array("string"),
    points: t.number(),
  },
  "Player",
);
const Turn = schema(
  { number: t.number(), seat: t.number(), phase: t.string(), decider: t.number(), tile: t.string() },
  "Turn",
);
const Game = schema(
  {
    id: t.string(),
    version: t.number(),
    status: t.string(),
    tileset: t.string(),
    edition: t.string(),
    created_at: t.string(),
    updated_at: t.string(),
    players: t.array(Player),
    turn: Turn,
    display: t.array("string"),
    ship_pile: t.number(),
    bag: t.number(),
    discarded: t.array("string"),
    board: t.map(Cell),
  },
  "Game",
);

const pick = (source, fields) => Object.fromEntries(fields.map((field) => [field, source[field]]));

function createCell(source) {
  const cell = new Cell().assign(pick(source, ["tile", "rotation", "order"]));
  for (const islander of source.islanders) cell.islanders.push(new Islander().assign(islander));
  for (const covered of source.covered) cell.covered.push(new Covered().assign(covered));
  return cell;
}

function createPlayer(source) {
  const player = new Player().assign(pick(source, ["seat", "name", "color", "kind", "supply", "points"]));
  player.wares = new Wares().assign(source.wares);
  for (const ship of source.ships) player.ships.push(ship);
  return player;
}

function createGame() {
  const scalars = ["id", "version", "status", "tileset", "edition", "created_at", "updated_at", "ship_pile", "bag"];
  const game = new Game().assign(pick(initialState, scalars));
  game.turn = new Turn().assign(pick(initialState.turn, ["number", "seat", "phase", "decider", "tile"]));
  for (const player of initialState.players) game.players.push(createPlayer(player));
  for (const field of ["display", "discarded"]) for (const item of initialState[field]) game[field].push(item);
  for (const [coordinates, cell] of Object.entries(initialState.board)) game.board.set(coordinates, createCell(cell));
  return game;
}

class Tiles extends Room {
  maxClients = 2;
  state = createGame();
  seats = [];

  onCreate() {
    if (patches === "at-once") this.patchRate = null;
    this.state.turn.seat = 0;
    this.onMessage("place", (client, [number, rotation]) => this.place(client, number, rotation));
  }

  onJoin(client) {
    this.seats.push(client.sessionId);
  }

  async place(client, number, rotation) {
    const { turn, players, board } = this.state;
    const seat = turn.seat;
    if (client.sessionId !== this.seats[seat] || !(number in cells) || !(rotation >= 0 && rotation < 4)) return;
    this.state.version += 1;
    turn.number += 1;
    turn.seat = 1 - seat;
    turn.decider = 1 - seat;
    players[seat].wares.shells += 1;
    board.set(
      cells[number],
      createCell({ tile: "junction-3", rotation, order: turn.number, islanders: [{ segment: 1, seat }], covered: [] }),
    );
    if (redis) await redis.xAdd(`colyseus:${this.roomId}`, "*", { move: JSON.stringify([seat, number, rotation]) });
    if (patches === "at-once") this.broadcastPatch();
  }
}

process.stdin.on("end", () => process.exit()).resume();
const http = createServer();
const server = new Server({ transport: new WebSocketTransport({ server: http }), greet: false });
server.define("tiles", Tiles);
await server.listen(0, "127.0.0.1");
console.log(`listens on http://127.0.0.1:${http.address().port}`);

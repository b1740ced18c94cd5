/** Follows three games twice, before and after a loss: `node shared_sockets.mjs BUILT URL`; reports as JSON. */

import process from "node:process";

const [, , built, url] = process.argv;
const { SouthSeas } = await import(built);

const sockets = new Set();
class Counted extends WebSocket {
  constructor(...options) {
    super(...options);
    sockets.add(this);
    this.addEventListener("close", () => sockets.delete(this));
  }
}
const client = new SouthSeas({ url, WebSocket: Counted, backoff: { initialWaitMs: 10 } });
const table = { players: [{ name: "Ana" }, { name: "Bo" }], first_seat: 0 };
const games = [];
for (let count = 0; count < 3; count++) games.push(await client.createGame(table));

async function until(condition) {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}
const follow = (reader, { game }) => reader.subscribe(game.id);
const early = games.flatMap((game) => [client, client.withToken(game.owner_token)].map((one) => follow(one, game)));
await until(() => early.every(({ game }) => game !== null)); // on sockets that did not know the limit yet
const lost = [...sockets];
for (const socket of lost) socket.close();
await until(() => !lost.some((socket) => sockets.has(socket)));
const late = follow(client, await client.createGame(table));
for (const { game, owner_token: token } of games) {
  const { moves } = await client.legalMoves(game.id);
  await client.act(game.id, { move: moves[0].id, seat: 0 }, { token });
}
await until(() => early.every(({ game }) => game.version === 2) && late.game !== null);
const followed = sockets.size;
late.close();
early.pop().close();
const left = early.map(({ status }) => status);
for (const subscription of early) subscription.close();
await until(() => sockets.size === 0);
console.log(JSON.stringify({ subscribed: lost.length, followed, left }));

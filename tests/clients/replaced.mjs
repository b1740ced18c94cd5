/** Plays seats that a bot takes over, and that resign: `node replaced.mjs BUILT URL`; reports as JSON. */

import process from "node:process";
import { setTimeout } from "node:timers/promises";

const [, , built, url] = process.argv;
const { SeatReplacedError, SeatResignedError, SouthSeas } = await import(built);

const client = new SouthSeas({ url });
const created = await client.createGame({
  players: [{ name: "Ana" }, { bot: "greedy" }],
  first_seat: 0,
  turn_timeout_s: 1,
  on_timeout: "bot",
});
const ana = client.withToken(created.seats[0].token);
const { id } = created.game;

let isLate = true;
async function choose(moves) {
  if (isLate) await setTimeout(3000);
  isLate = false;
  return moves[0];
}

const replaced = await ana.play(id, 0, choose).catch((error) => error instanceof SeatReplacedError && error.bot);
const again = await ana.play(id, 0, choose).catch((error) => error instanceof SeatReplacedError && error.seat);
/** Sends each command as another program of Ana's too, which is first. */
async function fetchSecond(address, options) {
  const headers = new Headers(options.headers);
  headers.set("Idempotency-Key", `${headers.get("Idempotency-Key")}-first`);
  if (options.method === "POST") await fetch(address, { ...options, headers });
  return fetch(address, options);
}

const overtaken = new SouthSeas({ url, token: created.seats[0].token, fetch: fetchSecond });
const game = await overtaken.play(id, 0, choose, { returnWhenReplaced: true });
const returns = [];
for await (const { events } of ana.log(id)) returns.push(...events.filter((event) => event.type === "player_returned"));

const table = await client.createGame({ players: [{ name: "Ana" }, { name: "Bo" }, { name: "Cy" }] });
const [first, second, third] = table.seats.map(({ token }) => client.withToken(token));
const resigned = [];
async function playUntilResigned() {
  const error = await first.play(table.game.id, 0, choose, { from: table }).catch((error) => error);
  resigned.push(error instanceof SeatResignedError && error.seat);
}
const playing = playUntilResigned();
const others = second.play(table.game.id, 1, choose, { from: table });
await first.resign(table.game.id);
await playing;
await playUntilResigned();
await third.resign(table.game.id);
const { reason } = (await others).result;
console.log(JSON.stringify({ replaced, again, status: game.status, returns: returns.length, resigned, reason }));

/** Plays while the service goes away and comes back: `node outages.mjs BUILT URL`; reports as JSON. */

import process from "node:process";
import { setTimeout } from "node:timers/promises";

const [, , built, url] = process.argv;
const { SouthSeas } = await import(built);

const table = { players: [{ name: "Ana" }, { name: "Bo" }], first_seat: 0 };
// It waits for a service that starts on a busy machine.
const patient = new SouthSeas({ url, backoff: { maxAttempts: 60, initialWaitMs: 50, maxWaitMs: 1000 } });
const created = await patient.createGame(table);
const { id } = created.game;
const impatient = new SouthSeas({ url, backoff: { maxAttempts: 1, initialWaitMs: 20, maxWaitMs: 200 } });
const seats = created.seats.map(({ token }) => impatient.withToken(token));

const versions = [];
const statuses = new Set();
async function choose(moves, game) {
  versions.push(game.version);
  await setTimeout(30);
  return moves[0];
}
const onStatus = (status) => statuses.add(status);
const games = await Promise.all(seats.map((client, seat) => client.play(id, seat, choose, { from: created, onStatus })));

const code = (error) => error.code ?? error.message;
const another = await patient.createGame(table);
const stranger = impatient.withToken("nobody's");
const rejected = await stranger.play(another.game.id, 0, choose, { from: another }).catch(code);
const away = new SouthSeas({ url: "http://127.0.0.1:9" });
const controller = new AbortController();
const abandoned = away.play(id, 0, choose, { from: created, signal: controller.signal }).catch(code);
await setTimeout(300);
controller.abort(new Error("enough"));

console.log(
  JSON.stringify({
    ended: games.map(({ status, version }) => [status, version]),
    versions,
    statuses: [...statuses],
    rejected,
    abandoned: await abandoned,
  }),
);

/** Plays both seats of a new game: `node wrong_pages.mjs BUILT URL CREATED`; reports as JSON. */

import process from "node:process";

const [, , built, url, created] = process.argv;
const { SouthSeas } = await import(built);

const from = JSON.parse(created);
const client = new SouthSeas({ url, backoff: { maxAttempts: 1, initialWaitMs: 10, maxWaitMs: 50 } });
const versions = [];
function choose(moves, game) {
  versions.push(game.version);
  return moves[0];
}
const players = from.seats.map(({ token }) => client.withToken(token));
const games = await Promise.all(players.map((one, seat) => one.play(from.game.id, seat, choose, { from })));
console.log(JSON.stringify({ statuses: games.map(({ status }) => status), versions }));

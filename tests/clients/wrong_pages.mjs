/** Plays both seats of a new game: `node wrong_pages.mjs BUILT URL CREATED`; reports as JSON. */

import process from "node:process";

const [, , built, url, created] = process.argv;
const { SouthSeas } = await import(built);

const start = JSON.parse(created);
let readByHttp = false;
const onRetry = ({ reason }) => (readByHttp ||= reason.endsWith("; games are read by HTTP meanwhile"));
const client = new SouthSeas({ url, onRetry, backoff: { maxAttempts: 1, initialWaitMs: 10, maxWaitMs: 50 } });
const versions = [];
function choose(moves, game) {
  versions.push(game.version);
  return moves[0];
}
const players = start.seats.map(({ token }) => client.withToken(token));
const games = await Promise.all(
  players.map((one, seat) => one.play(start.game.id, seat, choose, seat === 0 ? { from: start } : {})),
);
console.log(JSON.stringify({ statuses: games.map(({ status }) => status), versions, readByHttp }));

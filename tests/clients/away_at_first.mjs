/** Plays seat 0 from a state: `node away_at_first.mjs BUILT URL TOKEN STATE`; reports as JSON. */

import process from "node:process";

const [, , built, url, token, state] = process.argv;
const { SouthSeas } = await import(built);

const from = JSON.parse(state);
const backoff = { maxAttempts: 1, initialWaitMs: 20, maxWaitMs: 100 };
const client = new SouthSeas({ url, token, backoff, timeoutMs: 2000 });
const game = await client.play(from.game.id, 0, (moves) => moves[0], { from, returnWhenReplaced: true });
console.log(JSON.stringify({ status: game.status }));

/** Plays a game against the service with the built client: `node whole_game.mjs BUILT URL`; reports as JSON. */

import process from "node:process";

const [, , built, url] = process.argv;
const { ProblemError, SouthSeas } = await import(built);

const backoff = { maxAttempts: 12, initialWaitMs: 20, maxWaitMs: 1000 };
const timeoutMs = 3000;
const owner = new SouthSeas({ url, backoff, timeoutMs });
const created = await owner.createGame({ players: [{ name: "Ana" }, { name: "Bo" }], visibility: "private" });
const { id } = created.game;
const players = created.seats.map(({ token }) => owner.withToken(token));

const versions = [];
const statuses = [];
let finish;
const finished = new Promise((resolve) => (finish = resolve));
const subscription = players[0].subscribe(id, {
  from: created,
  onState: (game, diff) => {
    versions.push(diff === null ? null : game.version);
    if (game.status === "finished") finish();
  },
  onStatus: (status) => statuses.push(status),
});
const watchedVersions = []; // without a start state, and without the responses' diffs
const watching = players[1].subscribe(id, { onState: (game) => watchedVersions.push(game.version) });

let legal = await players[0].legalMoves(id);
for (let turn = 0; legal.moves.length > 0; turn++) {
  const move = legal.moves[(turn * 7) % legal.moves.length].id;
  const acted = await players[legal.seat].act(id, { move }, { ifMatch: legal, includeLegalMoves: true });
  if (turn % 3 === 0) subscription.applyDiffs(acted.diffs);
  legal = acted.legal_moves;
}
await finished;
while (watching.game?.version !== legal.version) await new Promise((resolve) => setTimeout(resolve, 10));

const game = await players[1].game(id);
const inOrder = (_, value) =>
  value === null || typeof value !== "object" || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
const same = (one, other) => JSON.stringify(one, inOrder) === JSON.stringify(other, inOrder);

const withoutToken = await owner.game(id).catch((error) => error);
const subscribedWithoutToken = await new Promise((resolve) => owner.subscribe(id, { onError: resolve }));
const logVersions = [];
for await (const diff of players[0].log(id)) logVersions.push(diff.version);
subscription.close();
watching.close();

console.log(
  JSON.stringify({
    version: game.version,
    versions,
    statuses,
    watchedVersions,
    logVersions,
    copiesAreEqual: same(subscription.game, game) && same(watching.game, game),
    withoutToken: withoutToken instanceof ProblemError && withoutToken.code,
    subscribedWithoutToken: subscribedWithoutToken instanceof ProblemError && subscribedWithoutToken.code,
  }),
);

/** Runs the built client against failing connections: `node failures.mjs BUILT URL [WS]`; prints a JSON report. */

import process from "node:process";

const [, , built, url, ws] = process.argv;
const { default: WebSocket } = ws === undefined ? globalThis : await import(ws);
const { PatchError, ProblemError, SouthSeas, UnreachableError, applyPatch } = await import(built);

const retries = [];
const waits = {};
const southSeas = new SouthSeas({
  url,
  onRetry: ({ what, reason, waitMs }) => waitMs > 0 && retries.push([what, reason]) && (waits[reason] = waitMs),
  backoff: { initialWaitMs: 10 },
  WebSocket: WebSocket ?? globalThis.WebSocket,
}).withLanguage(() => "fr");
const code = (request) => request.then(() => "done", (error) => error instanceof ProblemError && error.code);

const game = await southSeas.game("g"); // fails twice
const rejected = await code(southSeas.game("g"));
const created = await code(southSeas.createGame({ players: [] })); // a conflict at the second attempt
const retryable = await code(southSeas.game("g"));
const unreadable = await southSeas.game("g").catch((error) => error instanceof UnreachableError && error.message);
const single = new SouthSeas({ url, token: "t", backoff: { maxAttempts: 1 } });
const standIn = await single.game("g").catch((error) => error.retryAfterS);
const endless = new SouthSeas({ url, backoff: { maxAttempts: Infinity, initialWaitMs: 10, maxWaitMs: 20 } });
const fetch = (_, { signal }) => new Promise((_, reject) => (signal.onabort = () => reject(signal.reason)));
const silent = new SouthSeas({ url, fetch, timeoutMs: 10, backoff: { maxAttempts: 1 } });
const late = await silent.game("g").catch((error) => error.message);
const patient = await code(endless.game("g")); // told to wait for a day

const states = [];
const statuses = [];
const missing = await new Promise((resolve) => {
  southSeas.subscribe("game-script", {
    token: "secret",
    onState: (state, diff) => states.push([state.version, diff?.version ?? null]),
    onStatus: (status) => statuses.push(status),
    onError: (error) => resolve(error.code),
  });
});

const patchErrors = [
  { op: "remove", path: "/no" },
  { op: "add", path: "/list/0", value: 1 },
  { op: "add", path: "/list/7/name", value: 1 },
  { op: "add", path: "/number/x", value: 1 },
  { op: "replace", path: "/number", value: 1 },
].map((operation) => {
  try {
    return applyPatch({ list: [{ name: "Ana" }], number: 3 }, [operation]);
  } catch (error) {
    return error instanceof PatchError && error.operation === operation;
  }
});

const controller = new AbortController();
controller.abort(new Error("enough"));
const aborted = await southSeas.game("g", { signal: controller.signal }).catch((error) => error.message);

const { BACKOFF, backoffMs } = await import(built.replace("index.js", "backoff.js"));
const delays = Array.from({ length: 1001 }, () => {
  let left = 30_000 + 600_000 * Math.random(); // of an outage
  for (let failures = 0; left > 0; failures++) left -= backoffMs(BACKOFF, failures);
  return -left;
});
globalThis.document = { visibilityState: "hidden" };
const hiddenMs = backoffMs(BACKOFF, 9);
const medianMs = delays.sort((one, other) => one - other)[500];

await southSeas.game("g"); // whose Date may be a cache's
const clock = southSeas.withToken("other").clock; // set by the welcome, in place of Date
const midnight = Math.round(clock.secondsLeft("2026-01-02T00:00:00Z") / 100);

const wrong = [
  () => new SouthSeas(),
  () => new SouthSeas(url),
  () => new SouthSeas({ baseUrl: url }),
  () => new SouthSeas({ url: `${url}/v1` }),
  () => southSeas.subscribe("g", { from: game }),
  () => southSeas.subscribe(undefined),
  () => southSeas.play("g", "A", () => {}),
].map((call) => new Promise((resolve) => resolve(call())).catch((error) => error.message));
for (const ifMatch of ["1-e", '"1-e"', { version: 1, digest: "e" }]) await single.undo("g", {}, { ifMatch, returnGame: true, token: null }).catch(() => {});

console.log(
  JSON.stringify({ late, waits, hiddenMs, medianMs, midnight, now: clock.now(), version: game.version, rejected, created, retryable, unreadable, standIn, patient, states, statuses, missing, patchErrors, aborted, retries, wrong: await Promise.all(wrong) }),
);

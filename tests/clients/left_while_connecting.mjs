/** Receives gaps, and leaves subscriptions whose socket is connecting, or which wait: `node left_while_connecting.mjs BUILT URL`. */

import process from "node:process";

const [, , built, url] = process.argv;
const { SouthSeas } = await import(built);

const sockets = [];
class Socket {
  readyState = 0;
  closes = [];
  sent = [];
  constructor() {
    sockets.push(this);
  }
  open() {
    this.readyState = 1;
    this.onopen();
    this.receive({ type: "welcome", now: "2026-01-01T00:00:00Z", ping_interval_ms: 20000 });
  }
  receive(...messages) {
    for (const message of messages) this.onmessage({ data: JSON.stringify(message) });
  }
  close() {
    this.closes.push(this.readyState);
  }
  send(text) {
    const { type, game } = JSON.parse(text);
    this.sent.push(`${type} ${game}`);
  }
}

const waits = {};
const onRetry = ({ what, waitMs }) => (waits[what] = waitMs);
const southSeas = new SouthSeas({ url, backoff: { initialWaitMs: 10 }, WebSocket: Socket, onRetry });
const subscribed = { type: "subscribed", game: "g" };
const snapshot = (version) => ({ type: "snapshot", digest: String(version), game: { id: "g", version } });
function diff(version, game = "g") {
  const patch = [{ op: "add", path: "/version", value: version }];
  return { type: "diff", game, version, digest: String(version), patch };
}
const states = []; // those read whole are negative
const onState = ({ version }, change) => states.push(change === null ? -version : version);
const leaving = new AbortController();
const gappy = southSeas.subscribe("g", { from: snapshot(1), onState, signal: leaving.signal });
sockets[0].open();
sockets[0].receive(subscribed, diff(3), diff(4));
gappy.applyDiffs([diff(2), diff(3), diff(4), diff(5)]); // the snapshot would go back behind them
sockets[0].receive(snapshot(4), diff(5), snapshot(5));
gappy.applyDiffs([diff(6), diff(7, "another")]);
sockets[0].receive(diff(8));
sockets[0].onclose({ code: 1006 });
gappy.applyDiffs([diff(7)]);
while (sockets.length === 1) await new Promise((resolve) => setTimeout(resolve, 1));
sockets[1].open();
sockets[1].receive(subscribed, diff(8));
leaving.abort();
const [gaps] = sockets.splice(0);

const aborted = southSeas.subscribe("g", { signal: leaving.signal });
southSeas.subscribe("g").close();
const [left] = sockets;
const early = [...left.closes];
left.open();

const network = new EventTarget();
globalThis.addEventListener = network.addEventListener.bind(network);
globalThis.removeEventListener = network.removeEventListener.bind(network);
globalThis.document = Object.assign(new EventTarget(), { visibilityState: "visible" });
const statuses = [];
const kept = southSeas.subscribe("g", { onStatus: (status) => statuses.push(status) });
sockets[1].onclose({ code: 1006 });
network.dispatchEvent(new Event("online"));
network.dispatchEvent(new Event("online"));

const { closes, sent } = sockets[2];
const others = [...closes];
const timers = new Map();
globalThis.setTimeout = (call) => timers.set(timers.size, call).size - 1;
globalThis.clearTimeout = (timer) => timers.delete(timer);
const waiting = southSeas.subscribe("h");
sockets[2].open();
sockets[2].receive({ type: "error", id: null, game: "h", problem: { status: 503, retry_after_s: 5 } });
waiting.close();
function passTime() {
  const due = [...timers.values()];
  timers.clear();
  for (const call of due) call();
}
passTime();
kept.check();
sockets[2].receive({ type: "pong" }, subscribed);
passTime();
statuses.push("offline");
network.dispatchEvent(new Event("offline"));
passTime();
sockets[3].open();
sockets[3].receive(subscribed);
for (let number = 0; number < 30; number++) southSeas.subscribe(`game-${number}`);
document.dispatchEvent(new Event("visibilitychange"));
passTime();

const report = { statuses, ping: sockets[3].sent[21], states, gaps: gaps.sent, ended: [gappy.status, aborted.status], early, closes: left.closes, sockets: sockets.length, others, sent, refused: waits["game h"] >= 5000 };
console.log(JSON.stringify(report));
process.exit();

/** Leaves subscriptions whose socket is connecting, or which wait: `node left_while_connecting.mjs BUILT URL`. */

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
  }
  close() {
    this.closes.push(this.readyState);
  }
  send(text) {
    const { type, game } = JSON.parse(text);
    this.sent.push(`${type} ${game}`);
  }
}

const southSeas = new SouthSeas({ url, backoff: { initialWaitMs: 10 }, WebSocket: Socket });
southSeas.subscribe("g").close();
const [left] = sockets;
const early = [...left.closes];
left.open();

const network = new EventTarget();
globalThis.addEventListener = network.addEventListener.bind(network);
globalThis.removeEventListener = network.removeEventListener.bind(network);
southSeas.subscribe("g");
sockets[1].onclose({ code: 1006 });
network.dispatchEvent(new Event("online"));
network.dispatchEvent(new Event("online"));

const { closes: others, sent } = sockets[2];
const timers = new Map();
globalThis.setTimeout = (call) => timers.set(timers.size, call).size - 1;
globalThis.clearTimeout = (timer) => timers.delete(timer);
const waiting = southSeas.subscribe("h");
sockets[2].open();
sockets[2].onmessage({ data: '{"type": "welcome", "now": "2026-01-01T00:00:00Z", "ping_interval_ms": 20000}' });
sockets[2].onmessage({ data: '{"type": "error", "game": "h", "problem": {"status": 503}}' });
waiting.close();
for (const call of timers.values()) call();

console.log(JSON.stringify({ early, closes: left.closes, sockets: sockets.length, others, sent }));
process.exit();

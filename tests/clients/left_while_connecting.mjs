/** Leaves a subscription while its socket is connecting: `node left_while_connecting.mjs BUILT URL`. */

import process from "node:process";

const [, , built, url] = process.argv;
const { SouthSeas } = await import(built);

const sockets = [];
class Socket {
  readyState = 0;
  closes = [];
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

console.log(JSON.stringify({ early, closes: left.closes, sockets: sockets.length, others: sockets[2].closes }));
process.exit();

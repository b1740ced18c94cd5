/** Receives what has gaps: `node syncing.mjs BUILT URL`; reports as JSON what was sent, and states, those read whole as negative. */

import process from "node:process";

const [, , built, url] = process.argv;
const { SouthSeas } = await import(built);

const sockets = [];
const sent = [];
const states = [];
class Socket {
  readyState = 1;
  constructor() {
    sockets.push(this);
  }
  close() {}
  send(text) {
    sent.push(JSON.parse(text).type);
  }
}
const receive = (...messages) => messages.forEach((one) => sockets.at(-1).onmessage({ data: JSON.stringify(one) }));
const diff = (version) => {
  const patch = [{ op: "add", path: "/version", value: version }];
  return { type: "diff", game: "g", version, digest: String(version), patch };
};
const snapshot = (version) => ({ type: "snapshot", digest: String(version), game: { id: "g", version } });
const begin = () => receive({ type: "welcome", now: "2026-01-01T00:00:00Z" }, { type: "subscribed", game: "g" });

const southSeas = new SouthSeas({ url, WebSocket: Socket, backoff: { initialWaitMs: 1 } });
const onState = ({ version }, change) => states.push(change === null ? -version : version);
const subscription = southSeas.subscribe("g", { from: snapshot(1), onState });
begin();
receive(diff(3), diff(4));
subscription.applyDiffs([diff(2), diff(3), diff(4), diff(5)]); // the snapshot would go back behind them
receive(snapshot(4), diff(5));
subscription.applyDiffs([diff(6), { ...diff(7), game: "another" }]);
receive(diff(8));
sockets[0].onclose({ code: 1006 });
subscription.applyDiffs([diff(7)]);
while (sockets.length === 1) await new Promise((resolve) => setTimeout(resolve, 1));
begin();
receive(diff(8));
console.log(JSON.stringify({ sent, states }));
process.exit();

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { Network } from "./network.ts";

function started(t: TestContext): { network: Network; recoveries: () => number } {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const recover = t.mock.fn();
  return { network: new Network(recover), recoveries: () => recover.mock.callCount() };
}

test("a request without an answer is tried again, and at once when the socket is back", (t) => {
  const { network, recoveries } = started(t);
  network.setSocketStatus("connected");
  network.onNoResponse();
  assert.deepEqual([network.status, network.isOffline], ["reconnecting", true]);
  t.mock.timers.tick(2999);
  assert.equal(recoveries(), 0);
  t.mock.timers.tick(1);
  assert.equal(recoveries(), 1);
  network.onNoResponse();
  network.setSocketStatus("connected");
  t.mock.timers.tick(0);
  assert.equal(recoveries(), 2);
});

test("it is connected only where requests are answered as well", (t) => {
  const { network, recoveries } = started(t);
  network.onNoResponse();
  network.onRecovered();
  assert.equal(network.isOffline, true, "the socket is not connected");
  network.setSocketStatus("connected");
  assert.equal(network.status, "reconnecting");
  network.onRecovered();
  assert.deepEqual([network.status, network.isOffline], ["connected", false]);
  network.onNoResponse();
  network.close();
  network.onNoResponse();
  t.mock.timers.tick(9999);
  assert.equal(recoveries(), 0);
});

test("without a socket requests are asked for what happens, again and again, and then they connect", (t) => {
  const { network, recoveries } = started(t);
  network.onResponse();
  t.mock.timers.tick(5000);
  assert.deepEqual([recoveries(), network.status], [1, "connecting"]);
  network.onCaughtUp();
  network.setSocketStatus("reconnecting");
  assert.equal(network.status, "http", "the next try to open a socket changes nothing");
  t.mock.timers.tick(5000);
  assert.equal(recoveries(), 2);
  network.onNoResponse();
  assert.equal(network.status, "reconnecting");
  network.setSocketStatus("connected");
  network.onResponse();
  t.mock.timers.tick(9999);
  assert.equal(recoveries(), 2);
});

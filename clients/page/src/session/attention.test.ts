import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { saveGame, savePreferences } from "../model/storage.ts";
import { game, turn } from "../testing/games.ts";
import { settled } from "../testing/scripted_game.ts";
import { badged, watchTurns } from "./attention.ts";
import { ownGames } from "./own_games.ts";

/** Counts what is told while this browser has seat 1 of a game; returns what shows its next version. */
function watched(t: TestContext, id: string) {
  localStorage.clear();
  saveGame(id, { seats: { 1: "b" } });
  savePreferences({ sound: false });
  t.mock.property(ownGames, "isRead", true);
  const vibrate = t.mock.fn();
  Object.assign(navigator, { vibrate });
  Object.assign(document, { hidden: true, querySelector: () => null });
  t.after(() => Object.assign(document, { hidden: false }));
  t.after(watchTurns());
  let version = 0;
  return {
    vibrate,
    show: (more: Parameters<typeof turn>[0]) =>
      ownGames.onChange(game({ id, version: ++version, turn: turn(more) })),
  };
}

test("a turn that begins while the page is not looked at is told of, once", (t) => {
  const { vibrate, show } = watched(t, "away-1");
  show({ number: 1, seat: 0, decider: 0 });
  assert.equal(vibrate.mock.callCount(), 0);
  show({ number: 2, seat: 1, decider: 1 });
  show({ number: 2, seat: 1, decider: 1, phase: "islander" });
  assert.equal(vibrate.mock.callCount(), 1);
  show({ number: 3, seat: 0, decider: 0 });
  show({ number: 3, seat: 0, decider: 1, phase: "take_ship" });
  assert.equal(vibrate.mock.callCount(), 2, "a ship to take in another's turn");
});

test("nothing is told to a player who looks at the page, has switched it off, or has just opened it", (t) => {
  const { vibrate, show } = watched(t, "here-2");
  show({ number: 1, seat: 1, decider: 1 });
  Object.assign(document, { hidden: false, hasFocus: () => true });
  show({ number: 2, seat: 0, decider: 0 });
  show({ number: 3, seat: 1, decider: 1 });
  Object.assign(document, { hidden: true });
  savePreferences({ vibration: false });
  show({ number: 4, seat: 0, decider: 0 });
  show({ number: 5, seat: 1, decider: 1 });
  assert.equal(vibrate.mock.callCount(), 0);
});

test("the service worker shows the notification, which names the game", async (t) => {
  const showNotification = t.mock.fn();
  Object.assign(navigator, { serviceWorker: { ready: Promise.resolve({ showNotification }) } });
  Object.assign(globalThis, { Notification: { permission: "granted" } });
  t.after(() => {
    Reflect.deleteProperty(navigator, "serviceWorker");
    Reflect.deleteProperty(globalThis, "Notification");
  });
  const { show } = watched(t, "away-3");
  savePreferences({ notifications: true });
  show({ number: 1, seat: 0, decider: 0 });
  show({ number: 2, seat: 1, decider: 1 });
  await settled();
  const [title, options] = showNotification.mock.calls[0]?.arguments ?? assert.fail();
  assert.deepEqual([title, options.body, options.data], ["Your turn", "Ana and Bo", "/games/away-3"]);
});

test("the icon shows the number of games", () => {
  assert.match(badged("<svg></svg>", 3), />3<\/text><\/svg>$/);
  assert.match(badged("<svg></svg>", 12), />9\+<\/text>/);
});

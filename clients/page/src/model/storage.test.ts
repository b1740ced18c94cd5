import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { fillStorage, refuseStorage } from "../testing/browser.ts";
import { game } from "../testing/games.ts";
import { isPersistent, restoreTab } from "./browser_storage.ts";
import {
  preferences,
  removeGame,
  saveCreatedGame,
  saveGame,
  saveOpenedGame,
  savePart,
  savePreferences,
  storedGame,
  storedGames,
  storedPart,
} from "./storage.ts";

beforeEach(() => localStorage.clear());

test("tokens of a game are merged, and the last opened game is first", () => {
  const created = { owner_token: "o", spectator_token: "s", seats: [{ seat: 0, token: "a" }] };
  saveCreatedGame({ ...created, game: game(), digest: "", legal_moves: null }, true);
  saveGame("other", {});
  saveGame("g", { seats: { 1: "b" } });
  const { opened, ...stored } = storedGames()[0] ?? assert.fail();
  const tokens = { owner: "o", spectator: "s", seats: { 0: "a", 1: "b" } };
  assert.deepEqual(stored, { id: "g", ...tokens, private: true, lesson: null });
  assert.ok(Date.now() - opened < 60_000);
  removeGame("g");
  assert.equal(storedGame("g"), null);
  assert.equal(storedGames().length, 1);
});

test("a link adds its tokens to those that are stored", () => {
  saveGame("g", { owner: "o", seats: { 0: "a" } });
  const { opened: _, ...stored } = saveOpenedGame("g", { owner: null, spectator: "s", seats: { 1: "b" } });
  assert.deepEqual(stored, {
    id: "g",
    owner: "o",
    spectator: "s",
    seats: { 0: "a", 1: "b" },
    private: true,
    lesson: null,
  });
  assert.deepEqual(saveOpenedGame("g", null).seats, { 0: "a", 1: "b" });
});

test("what is stored of a game goes with it", () => {
  savePart("g", "step", 1);
  assert.equal(storedPart("g", "step"), null, "it is not stored itself");
  saveGame("g", {});
  savePart("g", "step", 1);
  savePart("g", "move", 2);
  assert.deepEqual([storedPart("g", "step"), storedPart("g", "move")], [1, 2]);
  savePart("g", "move", null);
  assert.equal(storedPart("g", "move"), null);
  for (let watched = 0; watched < 60; watched++) saveGame(`w${watched}`, {});
  assert.deepEqual([storedGame("g"), storedPart("g", "step")], [null, null]);
});

test("only so many games that were watched are stored, and all in which this browser plays", () => {
  localStorage.clear();
  for (let number = 0; number < 70; number++) {
    saveGame(`mine${number}`, { seats: { 0: "a" } });
    saveGame(`g${number}`, {});
  }
  assert.deepEqual([storedGames().length, storedGames()[0]?.id], [130, "g69"]);
});

test("preferences have defaults, and what is not JSON counts as nothing", () => {
  localStorage.setItem("south-seas.likes", "{");
  const more = { language: null, sound: true, vibration: true, notifications: null };
  assert.deepEqual(preferences(), { name: "", theme: "auto", tips: true, ...more });
  savePreferences({ name: "Ana" });
  savePreferences({ tips: false });
  assert.deepEqual(preferences(), { name: "Ana", theme: "auto", tips: false, ...more });
});

test("where the browser stores nothing, the tab does", (t) => {
  assert.equal(isPersistent(), true);
  refuseStorage(t);
  assert.equal(isPersistent(), false);
  saveGame("g", { owner: "o" });
  assert.equal(storedGame("g")?.owner, "o");
  removeGame("g");
  assert.equal(storedGame("g"), null);
});

test("what only the tab has outlives a reload, in the entry of its history", (t) => {
  refuseStorage(t);
  saveGame("g", { seats: { 0: "a" } });
  const left: unknown = history.state;
  removeGame("g");
  t.mock.property(history, "state", left);
  restoreTab();
  assert.deepEqual(storedGame("g")?.seats, { 0: "a" });
  removeGame("g");
});

test("where there is no room for a game, the steps that can be read again make some", (t) => {
  saveGame("old", { seats: { 0: "a" } });
  savePart("old", "step", "a step");
  savePart("old", "move", "a move");
  const room = t.mock.method(localStorage, "setItem", (key: string, value: string) => {
    if (localStorage.getItem("south-seas.step.old") !== null)
      throw new DOMException("full", "QuotaExceededError");
    room.mock.restore();
    localStorage.setItem(key, value);
  });
  saveGame("new", { seats: { 0: "b" } });
  assert.deepEqual(
    [storedGames().map(({ id }) => id), storedPart("old", "step"), storedPart("old", "move"), isPersistent()],
    [["new", "old"], null, "a move", true],
  );
});

test("what there is no room for, the tab has, until there is room again", (t) => {
  saveGame("g", {});
  const full = fillStorage(t);
  saveGame("more", { seats: { 0: "a" } });
  savePart("more", "step", 1);
  assert.deepEqual(
    [storedGame("more")?.seats, storedPart("more", "step"), isPersistent()],
    [{ 0: "a" }, 1, false],
  );
  full.mock.restore();
  savePart("more", "step", 2);
  saveGame("more", {});
  assert.deepEqual([storedPart("more", "step"), isPersistent()], [2, true]);
  assert.match(localStorage.getItem("south-seas.tables") ?? "", /more/);
});

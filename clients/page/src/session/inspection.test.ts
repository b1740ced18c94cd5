import assert from "node:assert/strict";
import { test } from "node:test";
import type { BoardFeatures } from "south-seas-client";
import { service } from "../service.ts";
import { game, place, wares } from "../testing/games.ts";
import { ScriptedGame, settled } from "../testing/scripted_game.ts";
import { announcer } from "./announcer.ts";

const MOVE = place(1, 0, 0);
const CELL = { x: 0, y: 0 };

function features(...segments: number[]): BoardFeatures {
  const one = (segment: number) => ({
    kind: "island" as const,
    cells: [CELL],
    islanders: [],
    wares: wares(1, 0, 0),
    open: 1,
    segments: [{ ...CELL, segment }],
    text: `Feature ${segment}.`,
  });
  return { version: 1, language: "en", features: segments.map(one) };
}

test("a touched tile says what its features are worth, the touched one first, until something is chosen", async (t) => {
  const script = new ScriptedGame(t, game());
  script.moves = [MOVE];
  const read = t.mock.method(service, "features", async () => features(0, 1, 2));
  const session = await script.open([]);
  const tell = t.mock.method(announcer, "tell", () => undefined);
  session.inspect(CELL, 1);
  await settled();
  assert.deepEqual(read.mock.calls[0]?.arguments, ["g", {}, { token: null }], "those of the whole board");
  assert.deepEqual(
    session.inspection.features.map(({ text }) => text),
    ["Feature 1.", "Feature 0.", "Feature 2."],
  );
  assert.deepEqual(session.outlines, [{ cells: [CELL], seat: null }]);
  assert.deepEqual(tell.mock.calls.at(-1)?.arguments, ["Feature 1."]);
  session.inspect(CELL, 2);
  await settled();
  assert.equal(read.mock.callCount(), 1, "they are known");
  script.deliver(script.change({ bag: 1 }));
  await settled();
  assert.equal(read.mock.callCount(), 2, "the game has changed");
  session.deselect();
  assert.deepEqual([session.inspection.inspected, session.outlines], [null, []]);
});

test("by key each feature of a tile is looked at after the other", async (t) => {
  const script = new ScriptedGame(t, game());
  t.mock.method(service, "features", async () => features(0, 2));
  const session = await script.open([]);
  const looked: (number | null | undefined)[] = [];
  for (let press = 0; press < 3; press++) {
    session.inspect(CELL, session.inspection.following(CELL));
    await settled();
    looked.push(session.inspection.inspected?.segment);
  }
  assert.deepEqual(looked, [0, 2, 0]);
  assert.equal(session.inspection.following({ x: 5, y: 5 }), 0);
});

test("what a tile is worth that is walked to is read once for each state of the game, and told", async (t) => {
  const script = new ScriptedGame(t, game());
  const read = t.mock.method(service, "features", async () => ({
    ...features(0),
    version: script.game.version,
  }));
  const session = await script.open();
  const tell = t.mock.method(announcer, "tell", () => undefined);
  session.walk({ x: 1, y: 0 });
  await settled();
  assert.equal(read.mock.callCount(), 0, "nothing lies there");
  session.walk({ ...CELL });
  session.walk({ ...CELL });
  await settled();
  assert.equal(read.mock.callCount(), 1);
  assert.equal(tell.mock.callCount(), 1);
  assert.match(
    tell.mock.calls[0]?.arguments[0] ?? "",
    /^Island west, 1 banana, 1 side open\. Bridge east, 1 shell\./,
  );
  script.deliver(script.change({ bag: 1 }));
  await settled();
  assert.equal(read.mock.callCount(), 2);
  assert.ok(session.inspection.featuresOf(script.game));
  session.walk(null);
  script.deliver(script.change({ bag: 0 }));
  await settled();
  assert.equal(read.mock.callCount(), 2, "nobody is there any more");
});

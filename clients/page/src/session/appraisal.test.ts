import assert from "node:assert/strict";
import { test } from "node:test";
import type { BoardFeatures, LegalMoves } from "south-seas-client";
import { service } from "../service.ts";
import { game, legal, place, wares } from "../testing/games.ts";
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

test("moves can be chosen before it is known what they are worth; then the choice says so", async (t) => {
  const script = new ScriptedGame(t, game());
  let appraise: (moves: LegalMoves) => void = () => assert.fail();
  t.mock.method(service, "legalMoves", (_: string, query: { effects?: boolean }) =>
    query.effects
      ? new Promise<LegalMoves>((resolve) => (appraise = resolve))
      : Promise.resolve(legal([MOVE], script.game.version)),
  );
  const session = await script.open();
  session.select({ cell: { x: 1, y: 0 } });
  assert.deepEqual([session.selectedMove, session.hint], [MOVE, null]);
  appraise(legal([{ ...MOVE, effects: [], worth: "It is worth a lot." }], 1));
  await settled();
  assert.equal(session.hint?.words, "It is worth a lot.");
});

test("a touched tile says what its features are worth, the touched one first, until something is chosen", async (t) => {
  const script = new ScriptedGame(t, game());
  script.moves = [MOVE];
  const read = t.mock.method(service, "features", async () => features(0, 1, 2));
  const session = await script.open([]);
  const tell = t.mock.method(announcer, "tell", () => undefined);
  session.inspect(CELL, 1);
  await settled();
  assert.deepEqual(read.mock.calls[0]?.arguments, ["g", CELL, { token: null }]);
  assert.deepEqual(
    session.appraisal.features.map(({ text }) => text),
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
  assert.deepEqual([session.appraisal.inspected, session.outlines], [null, []]);
});

test("by key each feature of a tile is looked at after the other", async (t) => {
  const script = new ScriptedGame(t, game());
  t.mock.method(service, "features", async () => features(0, 2));
  const session = await script.open([]);
  const looked: (number | null | undefined)[] = [];
  for (let press = 0; press < 3; press++) {
    session.inspect(CELL, session.appraisal.following(CELL));
    await settled();
    looked.push(session.appraisal.inspected?.segment);
  }
  assert.deepEqual(looked, [0, 2, 0]);
  assert.equal(session.appraisal.following({ x: 5, y: 5 }), 0);
});

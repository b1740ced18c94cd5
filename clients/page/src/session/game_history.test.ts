import assert from "node:assert/strict";
import { test } from "node:test";
import { type Diff, SouthSeas } from "south-seas-client";
import { change, game, place, turn } from "../testing/games.ts";
import { ScriptedGame, settled } from "../testing/scripted_game.ts";

const THEIRS = { turn: turn({ decider: 1, seat: 1 }) };

test("what others do waits for no picture of what was before: the player may act at once", async (t) => {
  const script = new ScriptedGame(t, game(THEIRS));
  const session = await script.open();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  script.moves = [place(1, 0, 0)];
  for (const bag of [5, 4, 3, 2]) script.deliver(script.change({ bag }));
  script.deliver(script.change({ turn: turn() }));
  await settled();
  assert.deepEqual([session.game?.version, session.choices.cells.size], [6, 1]);
});

test("changes that come together are seen one after the other, and none is seen late", async (t) => {
  const script = new ScriptedGame(t, game(THEIRS));
  const session = await script.open();
  t.mock.method(performance, "now", () => 100_000);
  for (let bag = 10; bag > 0; bag--) script.deliver(script.change({ bag }));
  const delays = session.shownSteps.map(({ delayMs }) => delayMs);
  assert.deepEqual(delays.slice(0, 5), [0, 0, 450, 900, 1350]);
  assert.ok(delays.every((delay) => delay <= 2700));
});

test("what is done here is seen at once", async (t) => {
  const script = new ScriptedGame(t, game());
  script.moves = [place(1, 0, 0)];
  const session = await script.open();
  t.mock.method(performance, "now", () => 100_000);
  for (const bag of [5, 4]) script.deliver(script.change({ bag }));
  await settled();
  session.select({ cell: { x: 1, y: 0 } });
  await session.act(session.selectedMove ?? assert.fail());
  assert.deepEqual(
    session.shownSteps.map(({ delayMs }) => delayMs),
    [0, 0, 450, 0],
  );
});

test("the course of a long game is one request", async () => {
  const diffs = Array.from({ length: 350 }, (_, index) => change(index + 1, []));
  const asked: number[] = [];
  const fetch = async (url: unknown): Promise<Response> => {
    const limit = Number(new URL(String(url)).searchParams.get("limit"));
    asked.push(limit);
    return Response.json({ version: diffs.length, digest: "", diffs: diffs.slice(0, limit) });
  };
  const read: Diff[] = [];
  for await (const diff of new SouthSeas({ url: "https://seas.example", fetch }).log("g")) read.push(diff);
  assert.deepEqual([read.length, asked], [350, [1000]]);
});

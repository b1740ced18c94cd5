import assert from "node:assert/strict";
import { test } from "node:test";
import { text } from "../messages/index.ts";
import { storedGame } from "../model/storage.ts";
import { choose, confirm } from "../session/actions.ts";
import { game, place } from "../testing/games.ts";
import { textOf } from "../testing/render.ts";
import { ScriptedGame, settled } from "../testing/scripted_game.ts";
import { Lesson } from "./lesson.tsx";

test("hints follow what the player does, are stored as told, and can be skipped at any moment", async (t) => {
  localStorage.clear();
  const script = new ScriptedGame(t, game());
  script.moves = [place(1, 0, 0)];
  const session = await script.open([0], []);
  const words = (): string => (session.hint ? textOf(<Lesson session={session} hint={session.hint} />) : "");
  assert.equal(words(), `${text.lesson.place} ${text.lesson.skip}`);
  choose.cell(session, { x: 1, y: 0 });
  assert.equal(words(), `${text.lesson.confirm(text.actionBar.place)} ${text.lesson.skip}`);
  confirm(session);
  await settled();
  assert.equal(words(), `${text.lesson.again} ${text.lesson.skip}`);
  assert.deepEqual(storedGame("g")?.lesson, ["place", "confirm"]);
  session.endLesson();
  assert.equal(session.hint, null);
  assert.equal(storedGame("g")?.lesson, null);
});

test("a game that is no lesson has no hints", async (t) => {
  const script = new ScriptedGame(t, game());
  script.moves = [place(1, 0, 0)];
  assert.equal((await script.open()).hint, null);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { game, player, step, turn } from "../testing/games.ts";
import { absencesIn, isResting, isStoodIn } from "./absence.ts";

const AWAY = player(0, "Ana", { bot: "greedy" });

test("the computer stands in for people only, until they resign", () => {
  assert.equal(isStoodIn(AWAY), true);
  assert.equal(isStoodIn(player(0, "Ana")), false);
  assert.equal(isStoodIn({ ...AWAY, kind: "bot" }), false);
  assert.equal(isStoodIn({ ...AWAY, resigned: true }), false);
});

test("a game rests once the computer plays for all people who have not resigned", () => {
  assert.equal(isResting(game({ players: [AWAY, player(1, "Bo")] })), false);
  assert.equal(isResting(game({ players: [AWAY, player(1, "Bo", { resigned: true })] })), true);
  assert.equal(isResting(game({ players: [AWAY], status: "finished" })), false);
  assert.equal(isResting(game({ players: [player(0, "Bot", { kind: "bot", bot: "greedy" })] })), false);
});

test("absences list each turn once, by seat and by who decided", () => {
  const players = [player(0, "Ana"), player(1, "Bo"), player(2, "Bot", { kind: "bot", bot: "greedy" })];
  const after = (number: number) => game({ players, turn: turn({ number }) });
  const course = [
    step(after(1), { seat: null }),
    step(after(1), { seat: 0, by: "bot", move: "p1.0.0" }),
    step(after(2), { seat: 0, by: "bot", move: "pass.islander" }),
    step(after(2), { seat: 0, by: "clock", move: null }),
    step(after(3), { seat: 1, by: "clock", move: "p2.0.0" }),
    step(after(4), { seat: 2, by: "bot", move: "p3.0.0" }),
    step(after(5), { seat: 1, by: null, move: "p4.0.0" }),
    step(game({ players, turn: null, status: "finished" }), { seat: 0, by: "bot", move: "p5.0.0" }),
  ];
  assert.deepEqual(absencesIn(course), [
    { seat: 0, by: "bot", turns: [1, 5] },
    { seat: 1, by: "clock", turns: [2] },
  ]);
});

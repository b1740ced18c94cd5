import assert from "node:assert/strict";
import { test } from "node:test";
import { routeOf } from "../model/route.ts";
import { continuation, draw, invitation } from "./share.tsx";

const STORED = {
  id: "g",
  owner: "o",
  spectator: "s",
  seats: { 1: "b" },
  private: true,
  opened: 0,
  lesson: null,
};

test("an invitation lets others in, and no more", () => {
  assert.equal(invitation(STORED), "https://seas.example/games/g#spectator=s");
  assert.equal(invitation({ ...STORED, private: false }), "https://seas.example/games/g");
});

test("on another device the same person may do the same", () => {
  const { owner, spectator, seats } = STORED;
  assert.deepEqual(routeOf(new URL(continuation(STORED))), {
    screen: "game",
    id: "g",
    tokens: { owner, spectator, seats },
    step: null,
  });
});

test("a link is shown as a code, square and with its finder patterns", async () => {
  const { size, path } = await draw(continuation(STORED));
  const last = size - 1;
  for (const [x, y] of [
    [0, 0],
    [last, 0],
    [0, last],
  ])
    assert.ok(path.includes(`M${x} ${y}h1v1h-1z`));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { renderToString } from "preact-render-to-string";
import { routeOf } from "../model/route.ts";
import { Share, continuation, invitation } from "./share.tsx";

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

test("a link is shown as a code, square and with its finder patterns", () => {
  const shown = renderToString(
    <Share heading="" hint="" link={continuation(STORED)} onClose={() => undefined} />,
  );
  const [, side = ""] = /viewBox="-4 -4 (\d+) \d+"/.exec(shown) ?? assert.fail();
  const last = Number(side) - 9;
  for (const [x, y] of [
    [0, 0],
    [last, 0],
    [0, last],
  ])
    assert.ok(shown.includes(`M${x} ${y}h1v1h-1z`));
});

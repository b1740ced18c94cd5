import assert from "node:assert/strict";
import { test } from "node:test";
import { fragmentOf, inviteLink, routeOf } from "./route.ts";

test("a fragment names a game, with a token where a guest needs it", () => {
  assert.deepEqual(routeOf(fragmentOf("sea-1")), { screen: "game", id: "sea-1", token: null, step: null });
  assert.deepEqual(routeOf(fragmentOf("sea-1", "t.o~k")), {
    screen: "game",
    id: "sea-1",
    token: "t.o~k",
    step: null,
  });
  assert.deepEqual(routeOf("#/sea-1"), { screen: "game", id: "sea-1", token: null, step: null });
});

test("a link can lead to a step of a game", () => {
  const step = { screen: "game", id: "sea-1", step: 57 };
  assert.deepEqual(routeOf(fragmentOf("sea-1", null, 57)), { ...step, token: null });
  assert.deepEqual(routeOf(fragmentOf("sea-1", "t.o~k", 57)), { ...step, token: "t.o~k" });
  assert.match(inviteLink("sea-1", "t", 57), /\/#sea-1\.t&move=57$/);
});

test("every other fragment is the lobby", () => {
  for (const fragment of ["", "#", "#Sea", "#../x", `#${"x".repeat(33)}`])
    assert.deepEqual(routeOf(fragment), { screen: "lobby" }, fragment);
});

test("the token of an invitation is in the fragment, which browsers do not send", () => {
  const link = new URL(inviteLink("sea-1", "secret"));
  assert.deepEqual([link.origin, link.pathname, link.search], ["https://seas.example", "/", ""]);
  assert.equal(link.hash, "#sea-1.secret");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Tokens, linkTo, routeOf } from "./route.ts";

const OPENED = { screen: "game", id: "sea-1", tokens: null, step: null };

function opened(link: string) {
  return routeOf(new URL(link, "https://seas.example"));
}

test("a game has an address of its own, every other one is the lobby", () => {
  assert.deepEqual(opened("/games/sea-1"), OPENED);
  const long = `/games/${"x".repeat(33)}`;
  for (const path of ["/", "/games", "/games/", "/games/Sea", long, "/games/a/b", "/#sea-1"])
    assert.deepEqual(opened(path), { screen: "lobby" }, path);
});

test("a link opens with the tokens that it was made of", () => {
  const all: Tokens = { owner: "o-1", spectator: "s.2", seats: { 0: "a_b", 4: "c~d" } };
  const guest: Tokens = { owner: null, spectator: "s", seats: {} };
  const seated: Tokens = { owner: null, spectator: null, seats: { 1: "t" } };
  for (const tokens of [all, guest, seated])
    assert.deepEqual(opened(linkTo("sea-1", tokens)), { ...OPENED, tokens });
  assert.equal(linkTo("sea-1", seated), "https://seas.example/games/sea-1#seat1=t");
  assert.equal(linkTo("sea-1", {}), "https://seas.example/games/sea-1");
});

test("a link can lead to a step of a game", () => {
  assert.deepEqual(opened(linkTo("sea-1", {}, 57)), { ...OPENED, step: 57 });
  assert.equal(
    linkTo("sea-1", { spectator: "s" }, 57),
    "https://seas.example/games/sea-1#spectator=s&move=57",
  );
});

test("what ends the sentence around a link is none of it", () => {
  for (const end of [".", ")", "),", "!"])
    assert.deepEqual(opened(`/games/sea-1#seat1=t${end}`), {
      ...OPENED,
      tokens: { owner: null, spectator: null, seats: { 1: "t" } },
    });
});

test("what is private is in the fragment, which browsers do not send", () => {
  const { origin, pathname, search } = new URL(linkTo("sea-1", { spectator: "secret" }));
  assert.deepEqual([origin, pathname, search], ["https://seas.example", "/games/sea-1", ""]);
});

test("what is nothing of a link is ignored", () => {
  const long = `#owner=${"x".repeat(201)}`;
  for (const fragment of ["", "#", "#seat5=x", "#seat1=", "#admin=x", "#spectator=a b", "#move=x", long])
    assert.deepEqual(opened(`/games/sea-1${fragment}`), OPENED, fragment);
});

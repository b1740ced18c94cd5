import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { TILESET } from "../testing/games.ts";
import { settled } from "../testing/scripted_game.ts";
import { Pictures } from "./pictures.ts";

const OK = async (): Promise<Response> => new Response("<svg/>");

/** An element of a picture with these attributes. */
function element(
  attributes: Record<string, string | number>,
  found: Record<string, unknown[]> = {},
): unknown {
  return {
    children: [],
    getAttribute: (name: string) => attributes[name]?.toString() ?? null,
    querySelectorAll: (selector: string) => found[selector] ?? [],
  };
}

const FISH = element({ "data-group": 1, "data-x": 70, "data-y": 80 });
const SEGMENT = element({ "data-segment": 2, "data-x": 30, "data-y": 40 }, { "[data-group]": [FISH] });
const PICTURE = element({}, { "[data-segment]": [SEGMENT] });

/** The pictures that somebody sees, the URLs that were asked for, and the symbols in the document. */
function pictures(t: TestContext, answer: (request: number) => Promise<Response>) {
  const urls: string[] = [];
  const symbols: { id: string }[] = [];
  let waiting = 0;
  let most = 0;
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.method(globalThis, "fetch", async (url: string) => {
    most = Math.max(most, ++waiting);
    urls.push(url);
    await settled();
    waiting--;
    return answer(urls.length);
  });
  const shelf = { append: (symbol: { id: string }) => symbols.push(symbol) };
  Object.assign(document, {
    getElementById: (id: string) => (symbols.some((symbol) => symbol.id === id) ? PICTURE : null),
    createElementNS: () => ({ setAttribute() {}, append() {} }),
    querySelector: () => shelf,
  });
  Object.assign(globalThis, {
    DOMParser: class {
      parseFromString = () => ({ documentElement: PICTURE });
    },
  });
  const made = new Pictures(TILESET);
  const redraw = t.mock.fn();
  const ignore = made.observe(redraw);
  return { pictures: made, urls, symbols, redraw, ignore, most: () => most };
}

test("a tile is fetched in every rotation, a few at once, and each but once", async (t) => {
  const { pictures: shown, urls, symbols, most } = pictures(t, OK);
  shown.fetchAll("start");
  assert.equal(shown.href("start", 3), "#tile-small-start-3");
  for (let wait = 0; wait < 4; wait++) await settled();
  assert.deepEqual(
    urls.sort(),
    [0, 1, 2, 3].map((rotation) => `/v1/tilesets/small/tiles/start.svg?rotation=${rotation}`),
  );
  assert.deepEqual([symbols.length, most()], [4, 3]);
});

test("what fails is fetched again, after growing pauses", async (t) => {
  const failures = [
    () => Promise.reject(new TypeError("no network")),
    async () => new Response("", { status: 429 }),
    async () => new Response(new ReadableStream({ start: (body) => body.error(new TypeError("lost")) })),
  ];
  const { pictures: shown, urls, symbols } = pictures(t, (request) => (failures[request - 1] ?? OK)());
  shown.href("start", 0);
  for (const [attempts, pauseMs] of [
    [1, 500],
    [2, 1000],
    [3, 2000],
  ] as const) {
    await settled();
    await settled();
    t.mock.timers.tick(pauseMs - 1);
    await settled();
    assert.equal(urls.length, attempts);
    t.mock.timers.tick(1);
  }
  await settled();
  await settled();
  assert.deepEqual([urls.length, symbols.length], [4, 1]);
});

test("nothing is fetched again that nobody looks at", async (t) => {
  const { pictures: shown, urls, ignore } = pictures(t, async () => new Response("", { status: 503 }));
  shown.href("start", 0);
  ignore();
  await settled();
  await settled();
  t.mock.timers.tick(500);
  await settled();
  t.mock.timers.tick(5000);
  await settled();
  assert.equal(urls.length, 1);
});

test("islanders and fish stand where the picture says, in the middle until it is known", async (t) => {
  const { pictures: shown, redraw } = pictures(t, OK);
  shown.href("start", 0);
  assert.deepEqual(shown.spot("start", 0, 2), { x: 50, y: 50 });
  await settled();
  await settled();
  assert.equal(redraw.mock.callCount(), 1);
  assert.deepEqual(shown.spot("start", 0, 2), { x: 30, y: 40 });
  assert.deepEqual(shown.group("start", 0, 2, 1), { x: 70, y: 80 });
  assert.deepEqual(shown.group("start", 0, 2, 0), { x: 30, y: 40 });
});

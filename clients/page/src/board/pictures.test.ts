import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
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
const SYMBOL = element({}, { "[data-segment]": [SEGMENT] });

/** The pictures that somebody sees, the URLs that were asked for, and what is in the document. */
function pictures(t: TestContext, answer: (request: number) => Promise<Response>) {
  const urls: string[] = [];
  const shelves: { id: string }[] = [];
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.method(globalThis, "fetch", async (url: string) => {
    urls.push(url);
    return answer(urls.length);
  });
  Object.assign(document, {
    body: { append: (shelf: { id: string }) => shelves.push(shelf) },
    createElementNS: () => ({ setAttribute() {}, append() {} }),
    getElementById: (id: string) =>
      id.startsWith("pictures")
        ? shelves.find((shelf) => shelf.id === id)
        : shelves.length > 0
          ? SYMBOL
          : null,
    querySelector: () => ({ content: "d1" }),
  });
  Object.assign(globalThis, {
    DOMParser: class {
      parseFromString = () => ({ documentElement: element({}) });
    },
  });
  const open = (): Pictures => new Pictures("small");
  const made = open();
  const redraw = t.mock.fn();
  made.observe(redraw);
  return { pictures: made, open, urls, shelves, redraw };
}

test("the pictures of a set are one request, whatever is shown and however often", async (t) => {
  const { pictures: shown, open, urls, shelves, redraw } = pictures(t, OK);
  assert.equal(shown.href("start", 3), "#small-tile-start-3");
  await settled();
  open();
  await settled();
  assert.deepEqual(
    urls.map((url) => url.slice(url.indexOf("/v1"))),
    ["/v1/tilesets/small/tiles.svg?drawing=d1"],
  );
  assert.deepEqual([shelves.length, redraw.mock.callCount()], [1, 1]);
});

test("what fails is fetched again, after growing pauses", async (t) => {
  const failures = [
    () => Promise.reject(new TypeError("no network")),
    async () => new Response("", { status: 429 }),
    async () => new Response(new ReadableStream({ start: (body) => body.error(new TypeError("lost")) })),
  ];
  const { urls, shelves } = pictures(t, (request) => (failures[request - 1] ?? OK)());
  for (const [attempts, pauseMs] of [
    [1, 500],
    [2, 1000],
    [3, 2000],
  ] as const) {
    await settled();
    t.mock.timers.tick(pauseMs - 1);
    await settled();
    assert.equal(urls.length, attempts);
    t.mock.timers.tick(1);
  }
  await settled();
  assert.deepEqual([urls.length, shelves.length], [4, 1]);
});

test("nothing is fetched again that nobody looks at", async (t) => {
  const { pictures: shown, urls } = pictures(t, async () => new Response("", { status: 503 }));
  shown.close();
  await settled();
  t.mock.timers.tick(500);
  await settled();
  t.mock.timers.tick(5000);
  await settled();
  assert.equal(urls.length, 1);
});

test("islanders and fish stand where the picture says, in the middle until it is known", async (t) => {
  const { pictures: shown } = pictures(t, OK);
  assert.deepEqual(shown.spot("start", 0, 2), { x: 50, y: 50 });
  await settled();
  assert.deepEqual(shown.spot("start", 0, 2), { x: 30, y: 40 });
  assert.deepEqual(shown.group("start", 0, 2, 1), { x: 70, y: 80 });
  assert.deepEqual(shown.group("start", 0, 2, 0), { x: 30, y: 40 });
});

test("a touch on a tile means the segment whose islanders stand nearest", async (t) => {
  const { pictures: shown } = pictures(t, OK);
  const placed = { tile: "start", rotation: 0, order: 0, islanders: [], covered: [] };
  const touch = (): number | null => shown.nearestSegment(placed, { x: 1, y: 0 }, { x: 190, y: 90 });
  assert.equal(touch(), null, "the picture is not there yet");
  await settled();
  assert.equal(touch(), 2);
});

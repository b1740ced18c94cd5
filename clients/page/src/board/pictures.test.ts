import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { settled } from "../testing/scripted_game.ts";
import { Pictures } from "./pictures.ts";

const OK = async (): Promise<Response> => new Response("<svg/>");

/** An element of a picture with these attributes and children. */
class Drawn {
  readonly children: Drawn[] = [];
  textContent = "";

  constructor(
    readonly localName: string,
    readonly named: Record<string, string> = {},
    ...children: Drawn[]
  ) {
    this.children.push(...children);
  }

  get attributes(): { localName: string; value: string }[] {
    return Object.entries(this.named).map(([localName, value]) => ({ localName, value }));
  }

  getAttribute(name: string): string | null {
    return this.named[name] ?? null;
  }

  setAttribute(name: string, value: string): void {
    this.named[name] = value;
  }

  append(...children: Drawn[]): void {
    this.children.push(...children);
  }

  querySelectorAll(selector: string): Drawn[] {
    const within = this.children.flatMap((child) => [child, ...child.querySelectorAll(selector)]);
    return within.filter(({ named }) => selector.slice(1, -1) in named);
  }

  /** Its elements in one line, with what identifies or refers. */
  get written(): string {
    const { id, href } = this.named;
    return `${id ?? href ?? this.localName}${this.children.length > 0 ? `(${this.children.map(({ written }) => written).join(" ")})` : ""}`;
  }
}

const FISH = new Drawn("g", { "data-group": "1", "data-x": "70", "data-y": "80" });
const SEGMENT = new Drawn("g", { "data-segment": "2", "data-x": "30", "data-y": "40" }, FISH);
const SYMBOL = new Drawn(
  "symbol",
  { id: "tile-start-0" },
  new Drawn("use", { href: "#water" }),
  new Drawn("use", { href: "https://elsewhere.example/#water" }),
  new Drawn("script"),
  new Drawn("path", { fill: "url(#shine)", onclick: "steal()", style: "x" }),
  SEGMENT,
);
const SVG = [
  SYMBOL,
  new Drawn("symbol", { id: "tile-start-1" }, new Drawn("use", { href: "#water" })),
  new Drawn("g", { id: "water" }, new Drawn("path")),
  new Drawn("linearGradient", { id: "shine" }),
  new Drawn("script", { id: "tile-script-0" }),
];

let sets = 0;

/** The pictures of a set that nobody has seen yet, the URLs that were asked for, and what is in the document. */
function pictures(t: TestContext, answer: (request: number) => Promise<Response>) {
  const urls: string[] = [];
  const body = new Drawn("body");
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.method(globalThis, "fetch", async (url: string) => {
    urls.push(url);
    return answer(urls.length);
  });
  Object.assign(document, {
    body,
    createElementNS: (_: string, name: string) => new Drawn(name),
    querySelector: () => ({ content: "d1" }),
  });
  Object.assign(globalThis, {
    DOMParser: class {
      parseFromString = () => ({
        getElementById: (id: string) => SVG.find(({ named }) => named["id"] === id) ?? null,
      });
    },
  });
  const set = `set${++sets}`;
  const open = (): Pictures => new Pictures(set);
  const made = open();
  const redraw = t.mock.fn();
  made.observe(redraw);
  return { pictures: made, set, open, urls, body, redraw };
}

test("the pictures of a set are one request, whatever is shown and however often", async (t) => {
  const { pictures: shown, set, open, urls, body, redraw } = pictures(t, OK);
  assert.equal(shown.href("start", 3), `#${set}-tile-start-3`);
  await settled();
  open();
  await settled();
  assert.deepEqual(
    urls.map((url) => url.slice(url.indexOf("/v1"))),
    [`/v1/tilesets/${set}/tiles.svg?drawing=d1`],
  );
  assert.deepEqual([body.children.length, redraw.mock.callCount()], [1, 1]);
});

test("boards of one set that are opened together share its pictures", async (t) => {
  const { pictures: first, set, open, body, redraw } = pictures(t, OK);
  const second = open();
  first.href("start", 1);
  second.href("start", 0);
  await settled();
  assert.equal(redraw.mock.callCount(), 1);
  const shown = body.written.replaceAll(`${set}-`, "");
  assert.equal(shown.match(/ tile-start-/g)?.length, 2, shown);
  assert.equal(body.children.length, 1);
});

test("in the document is what is shown, with what it refers to, and none of it twice", async (t) => {
  const { pictures: shown, set, body } = pictures(t, OK);
  const inDocument = (): string => body.written.replaceAll(`${set}-`, "");
  shown.href("start", 0);
  await settled();
  const first = "water(path) shine tile-start-0(#water use path g(g))";
  assert.equal(inDocument(), `body(svg(defs(${first})))`);
  shown.href("start", 0);
  assert.equal(shown.href("start", 1), `#${set}-tile-start-1`);
  shown.href("script", 0);
  shown.href("nothing", 0);
  assert.equal(inDocument(), `body(svg(defs(${first} tile-start-1(#water))))`);
});

test("of a picture only what draws is kept, and it refers to its own set only", async (t) => {
  const { pictures: shown, set, body } = pictures(t, OK);
  shown.href("start", 0);
  await settled();
  const symbol = body.children[0]?.children[0]?.children[2];
  assert.deepEqual(
    symbol?.children.map(({ named }) => named),
    [
      { href: `#${set}-water` },
      {},
      { fill: `url(#${set}-shine)` },
      { "data-segment": "2", "data-x": "30", "data-y": "40" },
    ],
  );
});

test("what fails is fetched again, after growing pauses", async (t) => {
  const failures = [
    () => Promise.reject(new TypeError("no network")),
    async () => new Response("", { status: 429 }),
    async () => new Response(new ReadableStream({ start: (body) => body.error(new TypeError("lost")) })),
  ];
  const { pictures: shown, urls, body } = pictures(t, (request) => (failures[request - 1] ?? OK)());
  for (const [attempts, pauseMs] of [
    [1, 500],
    [2, 1000],
    [3, 2000],
  ] as const) {
    await settled();
    t.mock.timers.tick(pauseMs - 1);
    await settled();
    assert.deepEqual([urls.length, shown.isLoaded], [attempts, false]);
    t.mock.timers.tick(1);
  }
  await settled();
  assert.deepEqual([urls.length, shown.isLoaded, body.children.length], [4, true, 1]);
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

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { addOpened, watchBack } from "./back.ts";
import { goTo } from "./route.ts";

/** A browser's history at a page, where each step back or forth takes its time. */
function browse(t: TestContext): { paths: () => string[]; back: () => Promise<void> } {
  const page = new EventTarget();
  const entries: { state: unknown; path: string }[] = [{ state: null, path: "/" }];
  let at = 0;
  const set = (state: unknown, path = entries[at]?.path ?? ""): void => {
    entries[at] = { state, path };
  };
  const go = (steps: number): void =>
    void setImmediate(() => {
      at = Math.max(0, at + steps);
      page.dispatchEvent(new Event("popstate"));
    });
  const fakes: Record<string, unknown> = {
    addEventListener: page.addEventListener.bind(page),
    dispatchEvent: page.dispatchEvent.bind(page),
    history: {
      get state() {
        return entries[at]?.state;
      },
      pushState: (state: unknown, _: string, path = entries[at]?.path) => {
        entries.length = ++at;
        set(state, path);
      },
      replaceState: (state: unknown, _: string, path?: string) => set(state, path),
      go,
    },
  };
  for (const [name, value] of Object.entries(fakes))
    t.mock.property(globalThis, name as never, value as never);
  watchBack();
  const back = async (): Promise<void> => {
    go(-1);
    await passed();
  };
  return { paths: () => entries.slice(0, at + 1).map(({ path }) => path), back };
}

async function passed(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("Back closes what was opened last, then what was before it, then leaves", async (t) => {
  const { paths, back } = browse(t);
  const closed: string[] = [];
  goTo("/games/g");
  for (const name of ["sheet", "dialog"]) addOpened(() => closed.push(name));
  await passed();
  await back();
  assert.deepEqual(closed, ["dialog"]);
  await back();
  assert.deepEqual(
    [closed, paths()],
    [
      ["dialog", "sheet"],
      ["/", "/games/g"],
    ],
  );
  await back();
  assert.deepEqual(paths(), ["/"]);
});

test("what is closed otherwise leaves no entry, nor does what another screen takes the place of", async (t) => {
  const { paths, back } = browse(t);
  const remove = addOpened(() => {});
  await passed();
  assert.equal(paths().length, 2);
  remove();
  goTo("/games/g");
  await passed();
  assert.deepEqual(paths(), ["/", "/games/g"]);
  const menu = addOpened(() => menu());
  const help = addOpened(() => help());
  await passed();
  goTo("/games/h");
  await passed();
  await back();
  assert.deepEqual(paths(), ["/", "/games/g"]);
});

test("one thing that opens as another closes takes its entry", async (t) => {
  const { paths } = browse(t);
  const first = addOpened(() => {});
  await passed();
  first();
  const second = addOpened(() => {});
  await passed();
  assert.equal(paths().length, 2);
  second();
  await passed();
  assert.equal(paths().length, 1);
});

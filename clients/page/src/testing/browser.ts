/** What modules of the page find in a browser when they load, for tests without one. */

import type { TestContext } from "node:test";

const stored = new Map<string, string>();
const motion = { matches: true };

/** Sets whether the user wants as little motion as can be, which they do outside of such tests. */
export function setCalm(t: TestContext, isCalm: boolean): void {
  t.mock.property(motion, "matches", isCalm);
}

Object.assign(globalThis, {
  matchMedia: () => motion,
  document: Object.assign(new EventTarget(), { hidden: false }),
  localStorage: {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
    clear: () => stored.clear(),
  },
  location: { hash: "", origin: "https://seas.example", pathname: "/" },
  history: { pushState: (_state: unknown, _title: string, path: string) => (location.pathname = path) },
  PopStateEvent: Event,
  dispatchEvent: () => true,
});
Object.defineProperty(navigator, "onLine", { value: true, writable: true, configurable: true });

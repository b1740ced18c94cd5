/** What modules of the page find in a browser when they load, for tests without one. */

import type { Mock, TestContext } from "node:test";

const stored = new Map<string, string>();
const motion = { matches: true };
const finger = { matches: true };

/** Sets whether the user wants as little motion as can be, which they do outside of such tests. */
export function setCalm(t: TestContext, isCalm: boolean): void {
  t.mock.property(motion, "matches", isCalm);
}

/** Leaves only a mouse to point with; outside of such tests there is a finger. */
export function removeFinger(t: TestContext): void {
  t.mock.property(finger, "matches", false);
}

/** Leaves no room in the browser's storage for anything that is stored from now on. */
export function fillStorage(t: TestContext): Mock<Storage["setItem"]> {
  return t.mock.method(localStorage, "setItem", () => {
    throw new DOMException("full", "QuotaExceededError");
  });
}

/** Blocks the browser's storage, as private windows and settings may. */
export function refuseStorage(t: TestContext): void {
  const descriptor = Object.getOwnPropertyDescriptor(globalThis, "localStorage") ?? {};
  t.after(() => Object.defineProperty(globalThis, "localStorage", descriptor));
  Object.defineProperty(globalThis, "localStorage", {
    configurable: true,
    get: () => {
      throw new DOMException("no", "SecurityError");
    },
  });
}

Object.assign(globalThis, {
  window: globalThis,
  parent: globalThis,
  matchMedia: (query: string) => (query.includes("pointer") ? finger : motion),
  document: Object.assign(new EventTarget(), { hidden: false }),
  localStorage: {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
    clear: () => stored.clear(),
  },
  location: { hash: "", origin: "https://seas.example", pathname: "/" },
  history: {
    state: null as unknown,
    pushState: (_state: unknown, _title: string, path: string) => (location.pathname = path),
    replaceState: (state: unknown) => Object.assign(history, { state }),
  },
  PopStateEvent: Event,
  addEventListener: () => {},
  dispatchEvent: () => true,
});
Object.defineProperty(navigator, "onLine", { value: true, writable: true, configurable: true });

/**
 * Values by key, which this browser stores. Where its user has blocked that, or there is no room, the tab has them as
 * long as it is open: its history keeps them when the page is loaded again.
 */

/** How long a value may be that the history keeps: browsers bound the size of its entries. */
const MAX_KEPT = 50_000;

const tabValues = new Map<string, string>();

/** Has the values again that this tab had before its page was loaded again. */
export function restoreTab(): void {
  const { kept } = (history.state ?? {}) as { kept?: Record<string, string> };
  for (const [key, json] of Object.entries(kept ?? {})) tabValues.set(key, json);
}

/** Keeps the values of the tab with the entry of its history that is shown now. */
export function keepInTab(): void {
  const kept = [...tabValues].filter(([, json]) => json.length <= MAX_KEPT);
  const state = { ...(history.state as object | null), kept: Object.fromEntries(kept) };
  tried(() => history.replaceState(state, ""));
}

/** Returns a value as it was saved; null if there is none. */
export function loadValue(key: string): unknown {
  try {
    return JSON.parse(tabValues.get(key) ?? tried(() => localStorage.getItem(key)) ?? "null") as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Saves a value, and returns whether it outlives the tab. */
export function saveValue(key: string, value: unknown): boolean {
  const json = JSON.stringify(value);
  const isStored = tried(() => (localStorage.setItem(key, json), true)) === true;
  const wasInTab = tabValues.delete(key);
  if (!isStored) tabValues.set(key, json);
  if (!isStored || wasInTab) keepInTab();
  return isStored;
}

export function removeValue(key: string): void {
  if (tabValues.delete(key)) keepInTab();
  tried(() => localStorage.removeItem(key));
}

/** Whether all that is saved outlives the tab. */
export function isPersistent(): boolean {
  return tabValues.size === 0 && tried(() => localStorage) !== undefined;
}

/** Does something that browsers refuse at times; undefined where it is refused. */
function tried<Result>(use: () => Result): Result | undefined {
  try {
    return use();
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

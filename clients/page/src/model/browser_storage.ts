/**
 * Values by key, which this browser stores. Where its user has blocked that, or there is no room, the tab has them as
 * long as it is open.
 */

const tabValues = new Map<string, string>();

/** Returns a value as it was saved; null if there is none. */
export function loadValue(key: string): unknown {
  try {
    return JSON.parse(tabValues.get(key) ?? tried((storage) => storage.getItem(key)) ?? "null") as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Saves a value, and returns whether it outlives the tab. */
export function saveValue(key: string, value: unknown): boolean {
  const json = JSON.stringify(value);
  const isStored = tried((storage) => (storage.setItem(key, json), true)) === true;
  if (isStored) tabValues.delete(key);
  else tabValues.set(key, json);
  return isStored;
}

export function removeValue(key: string): void {
  tabValues.delete(key);
  tried((storage) => storage.removeItem(key));
}

/** Whether all that is saved outlives the tab. */
export function isPersistent(): boolean {
  return tabValues.size === 0 && tried(() => true) === true;
}

/** Uses the browser's storage; undefined where that is blocked, or full. */
function tried<Result>(use: (storage: Storage) => Result): Result | undefined {
  try {
    return use(localStorage);
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

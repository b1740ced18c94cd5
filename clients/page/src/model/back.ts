/** What is open over the page: each has an entry of the browser's history, so that Back closes it before it leaves. */

import { useLayoutEffect, useRef } from "preact/hooks";

/** What closes each open thing, the one that was opened last at the end. */
const opened: (() => void)[] = [];
/** What waits until the browser has gone to another entry; null while it goes to none. */
let waiting: (() => void)[] | null = null;

/** How many things were open at the entry that is shown. */
export function openHere(): number {
  return (history.state as { open?: number } | null)?.open ?? 0;
}

/** Lets Back close what is open, with `close`. */
export function useBack(isOpen: boolean, close: () => void): void {
  const current = useRef(close);
  current.current = close;
  useLayoutEffect(() => (isOpen ? addOpened(() => current.current()) : undefined), [isOpen]);
}

/** Adds an entry for something that `close` closes; returns what removes it. */
export function addOpened(close: () => void): () => void {
  opened.push(close);
  queueMicrotask(settle);
  return () => {
    const index = opened.indexOf(close);
    if (index >= 0) opened.splice(index, 1);
    queueMicrotask(settle);
  };
}

/** Does something to the history once the browser is at the entry where it is to be. */
export function whenSettled(change: () => void): void {
  if (waiting) waiting.push(change);
  else change();
}

/** Follows the user through the history; what was open before the page was loaded again is not open any more. */
export function watchBack(): void {
  addEventListener("popstate", moved);
  settle();
}

function moved(): void {
  if (waiting) {
    const changes = waiting;
    waiting = null;
    changes.forEach((change) => change());
  } else while (opened.length > openHere()) opened.pop()?.();
  settle();
}

/** Makes the history as deep as things are open. */
function settle(): void {
  if (waiting) return;
  const surplus = openHere() - opened.length;
  if (surplus > 0) {
    waiting = [];
    history.go(-surplus);
  }
  for (let open = openHere() + 1; open <= opened.length; open++)
    history.pushState({ ...(history.state as object | null), open }, "");
}

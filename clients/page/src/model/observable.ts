/** State that components observe. */

import { useLayoutEffect, useState } from "preact/hooks";

/** Something that changes, and tells its observers. */
export class Observable {
  private readonly observers = new Set<() => void>();

  observe(observer: () => void): () => void {
    this.observers.add(observer);
    return () => this.observers.delete(observer);
  }

  protected notify(): void {
    for (const observer of [...this.observers]) observer();
  }
}

/** Draws the component again whenever `observable` changes. */
export function useObservable(observable: Observable): void {
  const [, redraw] = useState(0);
  useLayoutEffect(() => observable.observe(() => redraw((count) => count + 1)), [observable]);
}

/** State that components follow. */

import { useLayoutEffect, useState } from "preact/hooks";

/** Something that changes, and tells who follows it. */
export class Observable {
  private readonly observers = new Set<() => void>();

  observe(observer: () => void): () => void {
    this.observers.add(observer);
    return () => this.observers.delete(observer);
  }

  protected notify(): void {
    for (const follower of [...this.observers]) follower();
  }
}

/** Draws the component anew whenever `followed` changes. */
export function useObservable(observable: Observable): void {
  const [, redraw] = useState(0);
  useLayoutEffect(() => observable.observe(() => redraw((count) => count + 1)), [observable]);
}

/** State that components follow. */

import { useEffect, useState } from "preact/hooks";

/** Something that changes, and tells who follows it. */
export class Observable {
  private readonly followers = new Set<() => void>();

  follow(follower: () => void): () => void {
    this.followers.add(follower);
    return () => this.followers.delete(follower);
  }

  protected changed(): void {
    for (const follower of [...this.followers]) follower();
  }
}

/** Draws the component anew whenever `followed` changes. */
export function useFollowed(followed: Observable): void {
  const [, redraw] = useState(0);
  useEffect(() => followed.follow(() => redraw((count) => count + 1)), [followed]);
}

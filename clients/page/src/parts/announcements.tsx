/** The one part of the page that a screen reader says by itself. */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useObservable } from "../model/observable.ts";
import { announcer } from "../session/announcer.ts";

/** Under an open dialog nothing is said: there the dialog says it. */
export function Announcements(): JSX.Element {
  useObservable(announcer);
  const earlier = useRef(announcer.messages.at(-1)?.key ?? -1);
  useEffect(() => {
    const press = (): void => announcer.interrupt();
    addEventListener("keydown", press, true);
    return () => removeEventListener("keydown", press, true);
  }, []);
  return (
    <div class="unseen" aria-live="polite" aria-relevant="additions">
      {announcer.messages.map(({ key, words }) => key > earlier.current && <p key={key}>{words}</p>)}
    </div>
  );
}

/** Warns of something when it comes; null while it is not there. */
export function useWarning(words: string | null): void {
  useEffect(() => {
    if (words !== null) announcer.warn(words);
  }, [words]);
}

/** What happened where the board shows it, and the ways to what happened before and after it. */

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { text } from "../messages/index.ts";
import { placesOf } from "../model/news.ts";
import { announcer } from "../session/announcer.ts";
import type { Step } from "../session/game_history.ts";
import type { GameSession } from "../session/game_session.ts";
import { Icon } from "./icon.tsx";
import { scrollSign } from "./scroll_sign.ts";
import { NamedStep, classOf, wordsOf } from "./short_events.tsx";

export function Located({ session, step }: { session: GameSession; step: Step }): JSX.Element {
  const section = useRef<HTMLElement>(null);
  // The list in which it was chosen has made room for it.
  useLayoutEffect(() => {
    if (document.activeElement === document.body) section.current?.focus({ preventScroll: true });
  }, []);
  const words = wordsOf(session, step);
  useEffect(() => announcer.tell(words), [words]);
  const ways = [
    { icon: "previous", label: text.replay.previous, to: beside(session, step, -1) },
    { icon: "following", label: text.replay.following, to: beside(session, step, 1) },
  ];
  return (
    <section ref={section} class="located" tabindex={-1} aria-label={text.news.show} data-part="located">
      <p ref={scrollSign} key={step.diff.version} class={classOf(step)}>
        <NamedStep session={session} step={step} />
      </p>
      {ways.map(({ icon, label, to }) => (
        <button key={icon} class="round" aria-label={label} disabled={!to} onClick={() => session.locate(to)}>
          <Icon name={icon} />
        </button>
      ))}
      <button class="round" aria-label={text.close} onClick={() => session.locate(null)}>
        <Icon name="close" />
      </button>
    </section>
  );
}

/** The next step, or the one before, that has a place; null where there is none. */
export function beside(session: GameSession, step: Step, by: 1 | -1): Step | null {
  const { shownSteps } = session;
  const from = shownSteps.findIndex(({ diff }) => diff.version === step.diff.version);
  for (let index = from + by; ; index += by) {
    const other = shownSteps[index];
    if (!other) return null;
    if (placesOf(other.diff).length > 0 && wordsOf(session, other) !== "") return other;
  }
}

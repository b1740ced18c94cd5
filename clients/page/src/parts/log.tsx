/** What happened, in words, the last at the end, so that nothing that is being read moves. */

import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { PAINTS } from "../board/figure.tsx";
import { text } from "../messages/index.ts";
import { sentences } from "../model/event_sentences.ts";
import type { GameSession } from "../session/game_session.ts";

const MOST = 250;
/** So near to the end, in pixels, the reader is at the end. */
const NEAR = 12;

export function Log({ session }: { session: GameSession }): JSX.Element | null {
  const list = useRef<HTMLOListElement>(null);
  useLastInSight(list);
  const { tileset } = session;
  if (!tileset) return null;
  const course = session.shownSteps.slice(-MOST);
  return (
    <ol ref={list} class="log" aria-label={text.game.log} tabindex={0}>
      {course.map(({ diff, game }) => {
        const said = sentences(diff, game, tileset);
        const color = diff.seat === null ? null : (game.players[diff.seat]?.color ?? null);
        if (said.length === 0) return null;
        return (
          <li key={diff.version} class={color === null ? "" : `ink-${color}`}>
            {color !== null && (
              <svg class="dot" viewBox="0 0 10 10" aria-hidden="true">
                <circle cx="5" cy="5" r="4.5" fill={PAINTS[color]?.fill} />
              </svg>
            )}
            <span>{said.join(" ")}</span>
          </li>
        );
      })}
    </ol>
  );
}

/** Keeps the end of the list in sight, unless the reader has scrolled away from it. */
function useLastInSight(list: { readonly current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    const panel = list.current?.parentElement;
    if (!list.current || !panel) return;
    let isAtEnd = true;
    const scrolled = (): void => {
      isAtEnd = panel.scrollHeight - panel.scrollTop - panel.clientHeight < NEAR;
    };
    const sized = new ResizeObserver(() => {
      if (isAtEnd) panel.scrollTop = panel.scrollHeight;
    });
    sized.observe(list.current);
    sized.observe(panel);
    panel.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      sized.disconnect();
      panel.removeEventListener("scroll", scrolled);
    };
  }, [list.current === null]);
}

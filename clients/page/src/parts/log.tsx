/** What happened, in words, the last at the end, so that nothing that is being read moves. */

import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { text } from "../messages/index.ts";
import { byTurn } from "../model/news.ts";
import type { GameSession } from "../session/game_session.ts";
import { Entry } from "./entry.tsx";
import { useGradually } from "./gradually.ts";
import { newsHeading, newsShown } from "./news.tsx";

const MOST = 250;
const AT_ONCE = 40;
/** So near to the end, in pixels, the reader is at the end. */
const NEAR = 12;

export function Log({ session }: { session: GameSession }): JSX.Element | null {
  const list = useRef<HTMLOListElement>(null);
  const listed = useGradually(Math.min(session.shownSteps.length, MOST), AT_ONCE);
  useLastInSight(list);
  if (!session.tileset) return null;
  return (
    <ol ref={list} class="log" aria-label={text.game.log} tabindex={0}>
      <LastEntries session={session} count={listed} />
    </ol>
  );
}

/** So many of the last entries, with where the news begins. */
export function LastEntries({ session, count }: { session: GameSession; count: number }): JSX.Element {
  const { shownSteps } = session;
  const news = newsShown(session);
  const shown = shownSteps.slice(shownSteps.length - count);
  const from = Math.max(0, shown.length - news.length);
  const earlier = byTurn(shown.slice(0, from));
  return (
    <>
      {earlier.map((steps) => (
        <Entry key={steps[0]?.diff.version} session={session} steps={steps} />
      ))}
      {news.length > 0 && count >= news.length && <li class="since">{newsHeading(session, news.length)}</li>}
      {byTurn(shown.slice(from)).map((steps) => (
        <Entry key={steps[0]?.diff.version} session={session} steps={steps} />
      ))}
    </>
  );
}

/** Keeps the end of the list in sight, unless the reader has scrolled away from it. */
function useLastInSight(list: { readonly current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    const panel = list.current?.parentElement;
    return list.current && panel ? followEnd(list.current, panel) : undefined;
  }, [list.current === null]);
}

/** Keeps the end of a list in its panel's sight; what is returned ends that. */
export function followEnd(list: Element, panel: HTMLElement): () => void {
  let isAtEnd = true;
  /** How far the panel could be scrolled when that was last looked at. */
  let extent = 0;
  const currentExtent = (): number => panel.scrollHeight - panel.clientHeight;
  const scrolled = (): void => {
    // Where the list has changed meanwhile, the browser has scrolled, or tells late of what was before: nobody has left.
    if (currentExtent() === extent) isAtEnd = extent - panel.scrollTop < NEAR;
  };
  const sized = new ResizeObserver(() => {
    extent = currentExtent();
    if (isAtEnd) panel.scrollTop = panel.scrollHeight;
  });
  sized.observe(list);
  sized.observe(panel);
  panel.addEventListener("scroll", scrolled, { passive: true });
  return () => {
    sized.disconnect();
    panel.removeEventListener("scroll", scrolled);
  };
}

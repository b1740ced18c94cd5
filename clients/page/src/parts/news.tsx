/** What the others have done since this browser's last action: the last of it in short, all of it when opened. */

import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { text } from "../messages/index.ts";
import type { Step } from "../session/game_history.ts";
import type { GameSession } from "../session/game_session.ts";
import { Entry, wordsOf } from "./entry.tsx";
import { Icon } from "./icon.tsx";
import { scrollSign } from "./scroll_sign.ts";

export function News({ session }: { session: GameSession }): JSX.Element | null {
  const details = useRef<HTMLDetailsElement>(null);
  const { tileset, stepShown, replayed, credentials } = session;
  const told = useMemo(() => toldSteps(session), [session, tileset, stepShown, replayed, credentials, text]);

  /** Gives the room back to the board, and keeps the focus. */
  function close(): void {
    if (!details.current?.open) return;
    details.current.open = false;
    details.current.querySelector("summary")?.focus();
  }

  if (told.length === 0) return null;
  const said = told.map(({ words }) => words).join(" ");
  return (
    <details ref={details} class="news" onKeyDown={({ key }) => key === "Escape" && close()}>
      <summary>
        <b class="heading">{newsHeading(session, told.length)}</b>
        <span class="news-count" aria-hidden="true">
          {told.length}
        </span>
        <span class="latest" title={said}>
          {said}
        </span>
        <Icon name="more" />
      </summary>
      <ol ref={scrollSign} class="log">
        {told.map(({ step }) => (
          <Entry key={step.diff.version} session={session} step={step} />
        ))}
      </ol>
    </details>
  );
}

/** The news that there are words for. */
function toldSteps(session: GameSession): { step: Step; words: string }[] {
  return newsShown(session)
    .map((step) => ({ step, words: wordsOf(session, step) }))
    .filter(({ words }) => words !== "");
}

/** There is news while the game is played. */
export function newsShown({ news, game, replayed }: GameSession): readonly Step[] {
  return replayed === null && game?.status === "active" ? news : [];
}

/** Of what time the news is: a spectator has no turn. */
export function newsHeading({ credentials }: GameSession, count: number): string {
  return Object.keys(credentials.seats).length > 0 ? text.news.since(count) : text.news.last(count);
}

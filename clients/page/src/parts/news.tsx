/** What the others have done since this browser's last action: what matters most in short, all of it when opened. */

import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { text } from "../messages/index.ts";
import { byTurn } from "../model/news.ts";
import { total } from "../model/payments.ts";
import { type ShortEvent, lateWords } from "../model/short_events.ts";
import type { Step } from "../session/game_history.ts";
import type { GameSession } from "../session/game_session.ts";
import { Entry } from "./entry.tsx";
import { Icon } from "./icon.tsx";
import { scrollSign } from "./scroll_sign.ts";
import { Short, shortOf, wordsOf } from "./short_events.tsx";

export function News({ session }: { session: GameSession }): JSX.Element | null {
  const details = useRef<HTMLDetailsElement>(null);
  const { tileset, stepShown, replayed, credentials } = session;
  const [told, lines] = useMemo(() => {
    const steps = toldSteps(session);
    return [steps, headlines(session, steps)];
  }, [session, tileset, stepShown, replayed, credentials, text]);

  /** Gives the room back to the board, and keeps the focus. */
  function close(): void {
    if (!details.current?.open) return;
    details.current.open = false;
    details.current.querySelector("summary")?.focus();
  }

  if (told.length === 0) return null;
  return (
    <details ref={details} class="news" onKeyDown={({ key }) => key === "Escape" && close()}>
      <summary>
        <b class="heading">{newsHeading(session, told.length)}</b>
        <span class="news-count" aria-hidden="true">
          {told.length}
        </span>
        <span key={stepShown?.diff.version} class="latest" aria-hidden="true">
          {lines.map((short, index) => (
            <Short key={index} session={session} short={short} doer={null} />
          ))}
        </span>
        <Icon name="more" />
      </summary>
      <ol ref={scrollSign} class="log">
        {byTurn(told)
          .toReversed()
          .map((steps) => (
            <Entry key={steps[0]?.diff.version} session={session} steps={steps} />
          ))}
      </ol>
    </details>
  );
}

/** The news that there are words for. */
function toldSteps(session: GameSession): Step[] {
  return newsShown(session).filter((step) => wordsOf(session, step) !== "");
}

/** What concerns the players of this browser first, then what others gain, then the rest, each of it the newest first. */
export function headlines(session: GameSession, told: readonly Step[]): ShortEvent[] {
  const isOwn = ({ seat }: ShortEvent): boolean =>
    seat !== null && session.credentials.seats[seat] !== undefined;
  const late = (short: ShortEvent, { diff }: Step): ShortEvent =>
    short.icon === "clock" && isOwn(short) ? { ...short, words: lateWords(diff) ?? short.words } : short;
  const events = told.toReversed().flatMap((step) => shortOf(session, step).map((one) => late(one, step)));
  const rank = (short: ShortEvent): number => (isOwn(short) ? 0 : isGain(short) ? 1 : 2);
  const ranked = events
    .filter((short) => short.seat !== null && !(short.icon === "tile" && isOwn(short)))
    .sort((one, other) => rank(one) - rank(other));
  const keys = ranked.map((short) => JSON.stringify(short));
  return ranked.filter((_, index) => keys.indexOf(keys[index] ?? "") === index);
}

function isGain({ wares, points }: ShortEvent): boolean {
  return points > 0 || total(wares) > 0;
}

/** There is news while the game is played. */
export function newsShown({ news, game, replayed }: GameSession): readonly Step[] {
  return replayed === null && game?.status === "active" ? news : [];
}

/** Of what time the news is: a spectator has no turn. */
export function newsHeading({ credentials }: GameSession, count: number): string {
  return Object.keys(credentials.seats).length > 0 ? text.news.since(count) : text.news.last(count);
}

/** What the others have done since this browser's last action: what matters most in short, all of it when opened. */

import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { text } from "../messages/index.ts";
import { byTurn, isOwn } from "../model/news.ts";
import { eachWare, total } from "../model/payments.ts";
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
  const said = told.map((step) => wordsOf(session, step)).reverse();
  return (
    <details ref={details} class="news" onKeyDown={({ key }) => key === "Escape" && close()}>
      <summary>
        <b class="heading">{newsHeading(session, told.length)}</b>
        <span key={stepShown?.diff.version} class="latest" title={said.join(" ")} aria-hidden="true">
          {lines.map((shorts, index) => (
            <span key={index}>
              {shorts.map((short, number) => (
                <Short key={number} session={session} short={short} doer={number === 0 ? null : short.seat} />
              ))}
            </span>
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

/** The news that there are words for; of an own move that was taken back there is none. */
function toldSteps(session: GameSession): Step[] {
  return newsShown(session).filter(
    (step) => !isOwn(step.diff, session.ownSeats) && wordsOf(session, step) !== "",
  );
}

/**
 * What concerns the players of this browser first, then what others gain, then the rest, each of it the newest first: all
 * that a player does, and the tile where that is all.
 */
function headlines(session: GameSession, told: readonly Step[]): ShortEvent[][] {
  const isHere = (seat: number | null): boolean =>
    seat !== null && session.credentials.seats[seat] !== undefined;
  const kind = ({ icon, wares, points }: ShortEvent): number =>
    points > 0 || total(wares) > 0 ? 0 : icon === "tile" ? 2 : 1;
  const rank = (short: ShortEvent): number => (isHere(short.seat) ? -1 : kind(short));
  const ranked = told
    .toReversed()
    .flatMap((step) => shortOf(session, step).map((short) => ({ short, late: lateWords(step.diff) })))
    // What was paid is no news, and the place is not in short.
    .map(({ short, late }) => {
      const wares = eachWare((ware) => Math.max(0, short.wares[ware]));
      return { short: { ...short, place: "", wares }, late };
    })
    .filter(({ short: { seat, icon } }) => seat !== null && !(icon === "tile" && isHere(seat)))
    .sort((one, other) => rank(one.short) - rank(other.short));
  // Of an own turn whose time ran out, the words say whose it was.
  const lines = ranked.map(({ short, late }) =>
    late !== null && short.icon === "clock" && isHere(short.seat)
      ? { ...short, seat: null, words: late }
      : short,
  );
  const seats = [...new Set(lines.map(({ seat }) => seat))];
  return seats.map((seat) => {
    const own = lines.filter((short) => short.seat === seat);
    const more = own.filter(({ icon }) => icon !== "tile");
    return seat === null ? own.slice(0, 1) : more.length > 0 ? more : own;
  });
}

/** There is news while the game is played. */
export function newsShown({ news, game, replayed }: GameSession): readonly Step[] {
  return replayed === null && game?.status === "active" ? news : [];
}

/** Of what time the news is: a spectator has no turn. */
export function newsHeading({ isSeated }: GameSession, count: number): string {
  return isSeated ? text.news.since(count) : text.news.last(count);
}

/** What one change was, as icons and short words, and in whole sentences for those who do not see it. */

import type { JSX } from "preact";
import { Token } from "../board/figure.tsx";
import { text } from "../messages/index.ts";
import { nameOf, sentences } from "../model/event_sentences.ts";
import { type ShortEvent, shortEvents } from "../model/short_events.ts";
import type { Step } from "../session/game_history.ts";
import type { GameSession } from "../session/game_session.ts";
import { Icon } from "./icon.tsx";
import { Name } from "./players.tsx";
import { Amounts } from "./wares.tsx";

/** From so many letters on, words may go on in the next line. */
const LONG = 24;

export function wordsOf({ tileset }: GameSession, { diff, game }: Step): string {
  return tileset ? sentences(diff, game, tileset).join(" ") : "";
}

export function shortOf({ tileset }: GameSession, { diff, game }: Step): ShortEvent[] {
  return tileset ? shortEvents(diff, game, tileset) : [];
}

/** With the colour of whoever it was. */
export function classOf({ diff, game }: Step): string {
  const color = diff.seat === null ? null : (game.players[diff.seat]?.color ?? null);
  return color === null ? "entry" : `entry ink-${color}`;
}

/** All of a change; who did it is said elsewhere. */
export function ShortStep({ session, step }: { session: GameSession; step: Step }): JSX.Element {
  return (
    <>
      <span class="unseen">{wordsOf(session, step)}</span>
      <span class="short" aria-hidden="true">
        {shortOf(session, step).map((short, index) => (
          <Short key={index} session={session} short={short} doer={step.diff.seat} />
        ))}
      </span>
    </>
  );
}

/** The same, with the name of who did it. */
export function NamedStep({ session, step }: { session: GameSession; step: Step }): JSX.Element {
  const { seat } = step.diff;
  return (
    <>
      {seat !== null && <b aria-hidden="true">{nameOf(step.game, seat)} </b>}
      <ShortStep session={session} step={step} />
    </>
  );
}

interface ShortProps {
  readonly session: GameSession;
  readonly short: ShortEvent;
  /** Who is named beside it already. */
  readonly doer: number | null;
}

export function Short({ session, short, doer }: ShortProps): JSX.Element {
  const { icon, seat, words, place, wares, points } = short;
  const { game } = session;
  const color = (seat !== null && game?.players[seat]?.color) || null;
  const isNamed = seat !== null && seat !== doer;
  // With the name, an islander stands beside it already.
  const hasToken = isNamed || icon === "islander";
  return (
    <span class={words.length + place.length < LONG ? "short-event whole" : "short-event"}>
      {hasToken && <Token color={color} />}{" "}
      {isNamed && game && <b>{session.isMine(seat) ? text.game.you : <Name game={game} seat={seat} />} </b>}
      {icon !== "islander" && icon !== "" && <Icon name={icon} />} {words} {place}{" "}
      <Amounts wares={wares} points={points} />
    </span>
  );
}

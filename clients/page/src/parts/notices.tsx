/** What a player must not miss, over the board: the computer plays for them, time runs out, the network is gone. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { text } from "../messages/index.ts";
import { isResting } from "../model/absence.ts";
import { clockOf, durationOf, useSecondsLeft, warnsFrom } from "../model/deadline.ts";
import { nameOf } from "../model/event_sentences.ts";
import { answer, mayAsk } from "../session/attention.ts";
import { announcer } from "../session/announcer.ts";
import type { GameSession } from "../session/game_session.ts";
import { returnToSeat } from "../session/seats.ts";
import { useWarning } from "./announcements.tsx";
import { Icon } from "./icon.tsx";

export function Notices({ session }: { session: GameSession }): JSX.Element {
  // What ends everything stands where the moves were, and says why a move was refused too.
  const notice = session.fatal === null ? session.notice : null;
  useWarning(notice);
  return (
    <div class="notices">
      <StandIns session={session} />
      <Paused session={session} />
      <Warning session={session} />
      <Trouble session={session} />
      {notice && (
        <p class="notice">
          <span>{notice}</span>
          <button class="round" aria-label={text.close} onClick={() => session.dismiss()}>
            <Icon name="close" />
          </button>
        </p>
      )}
    </div>
  );
}

/** Stays as long as the computer plays for somebody here. */
function StandIns({ session }: { session: GameSession }): JSX.Element | null {
  const { game, standIns } = session;
  const standsIn = (seat: number): string =>
    text.away.standsIn(session.ownSeats.size === 1 || !game ? null : nameOf(game, seat));
  useWarning(standIns.length > 0 ? standIns.map(standsIn).join(" ") : null);
  if (!game || standIns.length === 0) return null;
  return (
    <>
      {standIns.map((seat) => (
        <div key={seat} class="notice stand-in">
          <span>
            <b>{standsIn(seat)}</b> {isResting(game) && text.away.resting}
          </span>
          <button class="primary" disabled={session.isBusy} onClick={() => returnToSeat(session, seat)}>
            {text.away.takeOver}
          </button>
        </div>
      ))}
    </>
  );
}

/** Lets a player go on with a paused game in the turn of another one, who may be away. */
function Paused({ session }: { session: GameSession }): JSX.Element | null {
  const { game, decider } = session;
  const seat = [...session.ownSeats].find((one) => game?.players[one]?.resigned === false);
  const isPaused = game?.turn?.paused === true && decider === null && seat !== undefined;
  useWarning(isPaused ? text.away.paused : null);
  if (!isPaused) return null;
  return (
    <div class="notice stand-in">
      <b>{text.away.paused}</b>
      <button class="primary" disabled={session.isBusy} onClick={() => returnToSeat(session, seat)}>
        {text.away.resume}
      </button>
    </div>
  );
}

/** So many seconds before the end the warning is said again. */
const VERY_SOON_S = 10;

/** Says that time runs out, or has, and what comes of it, where the action bar, which does so too, is not in sight. */
function Warning({ session }: { session: GameSession }): JSX.Element | null {
  const hurry = useHurry(session);
  const { isVerySoon, isOver, deadline, said } = hurry ?? {};
  useEffect(() => {
    if (said !== undefined) announcer.warn(said);
  }, [hurry !== null, isVerySoon, isOver, deadline]);
  return (
    hurry && (
      <div class="notice hurried">
        <Hurry session={session} />
      </div>
    )
  );
}

/** The words of it. */
export function Hurry({ session }: { session: GameSession }): JSX.Element | null {
  const hurry = useHurry(session);
  return (
    hurry && (
      <p class="hurry">
        <Icon name="clock" />
        <span>
          <b>{hurry.time}</b> {hurry.what}
        </span>
      </p>
    )
  );
}

interface HurryWords {
  readonly isVerySoon: boolean;
  readonly isOver: boolean;
  readonly deadline: string | null;
  readonly time: string;
  readonly what: string;
  /** How it is said aloud. */
  readonly said: string;
}

function useHurry(session: GameSession): HurryWords | null {
  const { game, decider } = session;
  const deadline = decider === null ? null : (game?.turn?.deadline ?? null);
  const left = useSecondsLeft(deadline);
  if (left === null || left > warnsFrom(game?.turn_timeout_s ?? 0)) return null;
  const isVerySoon = left <= VERY_SOON_S;
  const isOver = left <= 0;
  const comes = isOver ? text.away.late : text.away.then;
  const what = comes[game?.on_timeout ?? "pass"]?.(game?.turn?.phase ?? "") ?? "";
  const time = isOver ? text.away.over : text.away.hurry(clockOf(left));
  const said = `${isOver ? text.away.over : text.asked.hurry(durationOf(left))} ${what}`;
  return { isVerySoon, isOver, deadline, time, what, said };
}

/** Asks once whether the system should tell of turns: when a player has moved and waits for other people. */
export function AskToNotify({ session }: { session: GameSession }): JSX.Element | null {
  const [isAnswered, setAnswered] = useState(false);
  const [isBlocked, setBlocked] = useState(false);
  const { game } = session;
  const others = game?.players.some(({ kind, seat }) => kind === "human" && !session.isMine(seat));
  const waits = game?.status === "active" && session.decider === null && session.hasActed && others;
  const isAsked = waits === true && !isAnswered && mayAsk();
  useEffect(() => {
    if (isAsked) announcer.tell(text.notify.ask);
  }, [isAsked]);
  if (isBlocked) return <Blocked onClose={() => setBlocked(false)} />;
  if (!isAsked) return null;
  const choose = (isWanted: boolean): void => {
    setAnswered(true);
    void answer(isWanted).then(setBlocked);
  };
  return (
    <div class="ask">
      <span>{text.notify.ask}</span>
      <button onClick={() => choose(false)}>{text.notify.no}</button>
      <button class="primary" onClick={() => choose(true)}>
        {text.notify.yes}
      </button>
    </div>
  );
}

/** The browser does not let the system tell of turns; the menu, which closes itself, needs no `onClose`. */
export function Blocked({ onClose }: { onClose?: () => void }): JSX.Element {
  useWarning(text.notify.blocked);
  return (
    <p class="notice">
      <span>{text.notify.blocked}</span>
      {onClose && (
        <button class="round" aria-label={text.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      )}
    </p>
  );
}

/** What the missing network keeps from being done. */
function Trouble({ session }: { session: GameSession }): JSX.Element | null {
  const { fatal, isUnsent, network } = session;
  const trouble = isUnsent ? text.game.unsent : network.isOffline ? text.game.offline : null;
  useWarning(trouble);
  if (trouble === null || fatal !== null) return null;
  return (
    <div class="problem">
      <span>{trouble}</span>
      {isUnsent && <button onClick={() => session.cancelUnsent()}>{text.game.unsend}</button>}
    </div>
  );
}

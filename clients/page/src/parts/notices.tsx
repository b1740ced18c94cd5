/** What a player must not miss, over the board: the computer plays for them, time runs out, the network is gone. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { text } from "../messages/index.ts";
import { isResting } from "../model/absence.ts";
import { clockOf, useSecondsLeft, warnsFrom } from "../model/deadline.ts";
import { nameOf } from "../model/event_sentences.ts";
import { answer, mayAsk } from "../session/attention.ts";
import type { GameSession } from "../session/game_session.ts";
import { Icon } from "./icon.tsx";

export function Notices({ session }: { session: GameSession }): JSX.Element {
  return (
    <div class="notices">
      <StandIns session={session} />
      <Warning session={session} />
      <AskToNotify session={session} />
      <Trouble session={session} />
      {session.notice && (
        <p class="notice" role="alert">
          <span>{session.notice}</span>
          <button class="round small" aria-label={text.close} onClick={() => session.dismiss()}>
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
  if (!game || standIns.length === 0) return null;
  const isAlone = Object.keys(session.credentials.seats).length === 1;
  return (
    <>
      {standIns.map((seat) => (
        <div key={seat} class="notice stand-in" role="status">
          <span>
            <b>{text.away.standsIn(isAlone ? null : nameOf(game, seat))}</b>{" "}
            {isResting(game) && text.away.resting}
          </span>
          <button class="primary" disabled={session.isBusy} onClick={() => session.returnToSeat(seat)}>
            {text.away.takeOver}
          </button>
        </div>
      ))}
    </>
  );
}

/** Says that time runs out while there is some left, and what comes then. */
function Warning({ session }: { session: GameSession }): JSX.Element | null {
  const { game, decider } = session;
  const deadline = decider === null ? null : (game?.turn?.deadline ?? null);
  const left = useSecondsLeft(deadline);
  const isSoon = left !== null && left <= warnsFrom(game?.turn_timeout_s ?? 0);
  const then = text.away.then[game?.on_timeout ?? "pass"]?.(game?.turn?.phase ?? "") ?? "";
  useEffect(() => {
    if (isSoon) session.say(`${text.away.hurry(clockOf(left))} ${then}`);
  }, [isSoon, deadline]);
  if (!isSoon) return null;
  return (
    <p class="notice hurry">
      <Icon name="clock" />
      <span>
        <b>{left > 0 ? text.away.hurry(clockOf(left)) : text.actionBar.deadlineOver}</b> {then}
      </span>
    </p>
  );
}

/** Asks once whether the system should tell of turns: when a player has moved and waits for other people. */
function AskToNotify({ session }: { session: GameSession }): JSX.Element | null {
  const [isAnswered, setAnswered] = useState(false);
  const { game } = session;
  const others = game?.players.some(({ kind, seat }) => kind === "human" && !session.isMine(seat));
  const waits = game?.status === "active" && session.decider === null && session.hasActed && others;
  if (!waits || isAnswered || !mayAsk()) return null;
  const choose = (isWanted: boolean): void => {
    setAnswered(true);
    void answer(isWanted);
  };
  return (
    <div class="notice ask" role="status">
      <span>{text.notify.ask}</span>
      <button onClick={() => choose(false)}>{text.notify.no}</button>
      <button class="primary" onClick={() => choose(true)}>
        {text.notify.yes}
      </button>
    </div>
  );
}

/** What the missing network keeps from being done. */
function Trouble({ session }: { session: GameSession }): JSX.Element | null {
  if (session.fatal !== null) return <Problem>{session.fatal}</Problem>;
  if (session.isUnsent)
    return (
      <Problem>
        <span>{text.game.unsent}</span>
        <button onClick={() => session.cancelUnsent()}>{text.game.unsend}</button>
      </Problem>
    );
  return session.network.isOffline ? <Problem>{text.game.offline}</Problem> : null;
}

function Problem({ children }: { children: ComponentChildren }): JSX.Element {
  return (
    <div class="problem" role="alert">
      {children}
    </div>
  );
}

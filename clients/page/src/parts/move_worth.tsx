/** What the chosen move is worth: what its player will get, and all of it when opened. */

import type { JSX } from "preact";
import { text } from "../messages/index.ts";
import { nameOf } from "../model/event_sentences.ts";
import type { Gain } from "../model/news.ts";
import { total } from "../model/payments.ts";
import type { GameSession } from "../session/game_session.ts";
import { scrollSign } from "./scroll_sign.ts";
import { Amounts } from "./wares.tsx";

export function MoveWorthLine({ session }: { session: GameSession }): JSX.Element | null {
  const { worth, game, decider } = session;
  if (!worth || !game || decider === null) return null;
  const { gains, prospect, loss, outlines, words } = worth;
  const own = gains.get(decider);
  const others = [...gains].filter(([seat]) => seat !== decider);
  const finishesNothing = gains.size === 0 && outlines.length === 0;
  const isTold = gains.size > 0 || (prospect === null && loss === null);
  return (
    <div class="worth">
      {own && (
        <p>
          <b>{text.worth.get}</b> <Gained {...own} />
        </p>
      )}
      {isTold && !own && <p>{finishesNothing ? words : <b>{text.worth.getNothing}</b>}</p>}
      {prospect && (
        <p>
          {total(prospect.wares) > 0 && (
            <>
              {text.worth.soFar} <Gained wares={prospect.wares} points={0} />
              {", "}
            </>
          )}
          {text.worth.open(prospect.kind, prospect.open)}
        </p>
      )}
      {loss === "ship" && <p>{text.worth.giveUpShip}</p>}
      {loss && loss !== "ship" && (
        <p>
          {total(loss) === 0 ? (
            text.worth.giveUpNothing
          ) : (
            <>
              <b>{text.worth.giveUp}</b> <Gained wares={loss} points={0} />
            </>
          )}
        </p>
      )}
      {others.length > 0 && (
        <p class="others">
          {others.map(([seat, gain]) => (
            <span key={seat}>
              {nameOf(game, seat)} <Gained {...gain} />
            </span>
          ))}
        </p>
      )}
      {!finishesNothing && words !== "" && (
        <details key={session.selectedMove?.id}>
          <summary>{text.worth.details}</summary>
          <p ref={scrollSign}>{words}</p>
        </details>
      )}
    </div>
  );
}

function Gained({ wares, points }: Gain): JSX.Element {
  return (
    <span class="amounts" role="img" aria-label={text.amounts(wares, points)}>
      <Amounts wares={wares} points={points} />
    </span>
  );
}

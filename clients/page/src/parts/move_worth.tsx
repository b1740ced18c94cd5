/** What the chosen move is worth: what its player will get, and all of it when opened. */

import type { Wares } from "south-seas-client";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { text } from "../messages/index.ts";
import { nameOf } from "../model/event_sentences.ts";
import type { Gain } from "../model/news.ts";
import { total } from "../model/payments.ts";
import type { GameSession } from "../session/game_session.ts";
import { Icon } from "./icon.tsx";
import { scrollSign } from "./scroll_sign.ts";
import { Amounts } from "./wares.tsx";

/** Anew for each move, so that all of it is opened for one. */
export function MoveWorthLine({ session }: { session: GameSession }): JSX.Element {
  return <Line key={session.selectedMove?.id} session={session} />;
}

function Line({ session }: { session: GameSession }): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  const { worth, game, decider, selectedMove } = session;
  if (!worth || !game || decider === null) return null;
  const { gains, prospect, loss, outlines, words } = worth;
  const own = gains.get(decider);
  const others = [...gains].filter(([seat]) => seat !== decider);
  const finishesNothing = gains.size === 0 && outlines.length === 0;
  // Where a tile finishes what is nobody's, an islander may get something of it in the next step.
  const nothing = selectedMove?.action.type === "place_tile" ? text.worth.nothing : text.worth.getNothing;
  const hasMore = !finishesNothing && words !== "";
  const isTold = gains.size > 0 || (prospect === null && loss === null);
  return (
    <div class="worth">
      <div>
        {own && (
          <p>
            <b>{text.worth.get}</b> <Gained {...own} />
          </p>
        )}
        {isTold && !own && <p>{finishesNothing ? words : <b>{nothing}</b>}</p>}
        {prospect && (
          <p>
            {prospect.kind !== "market" && (
              <span>
                {text.worth.soFar} <Held wares={prospect.wares} />,
              </span>
            )}
            <span>{text.worth.open(prospect.kind, prospect.open)}</span>
          </p>
        )}
        {loss === "ship" && <p>{text.worth.giveUpShip}</p>}
        {loss && loss !== "ship" && (
          <p>
            {total(loss) === 0 ? (
              text.worth.giveUpNothing
            ) : (
              <>
                <b>{text.worth.giveUp}</b> <Held wares={loss} />
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
      </div>
      {hasMore && (
        <button
          class="round"
          aria-expanded={isOpen}
          aria-label={text.worth.details}
          title={text.worth.details}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="more" />
        </button>
      )}
      {hasMore && isOpen && <p ref={scrollSign}>{words}</p>}
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

function Held({ wares }: { wares: Wares }): JSX.Element {
  return total(wares) === 0 ? (
    <>{text.wares(wares)}</>
  ) : (
    <span class="amounts" role="img" aria-label={text.wares(wares)}>
      <Amounts wares={wares} isSigned={false} />
    </span>
  );
}

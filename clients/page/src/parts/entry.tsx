/** What one player did in a turn, in short, with the way to where each of it was. */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { text } from "../messages/index.ts";
import { nameOf } from "../model/event_sentences.ts";
import { placesOf } from "../model/news.ts";
import type { Step } from "../session/game_history.ts";
import type { GameSession } from "../session/game_session.ts";
import { ShortStep, classOf, shortOf, wordsOf } from "./short_events.tsx";

/** Made once: what has happened stays. */
export function Entry({
  session,
  steps,
}: {
  session: GameSession;
  steps: readonly Step[];
}): JSX.Element | null {
  const last = steps.at(-1);
  return useMemo(
    () => entryOf(session, steps),
    [session, steps.length, steps[0], last, session.tileset, text],
  );
}

function entryOf(session: GameSession, steps: readonly Step[]): JSX.Element | null {
  const told = steps.filter((step) => wordsOf(session, step) !== "");
  const [first] = told;
  if (!first) return null;
  const { seat } = first.diff;
  return (
    <li class={classOf(first)}>
      <span class="steps">
        {seat !== null && <b aria-hidden="true">{nameOf(first.game, seat)}</b>}{" "}
        {told.map((step) => {
          const short = <ShortStep session={session} step={step} />;
          const isPlaced = placesOf(step.diff).length > 0 && shortOf(session, step).length > 0;
          return isPlaced ? (
            <button key={step.diff.version} title={text.news.show} onClick={() => session.locate(step)}>
              {short}
            </button>
          ) : (
            <span key={step.diff.version}>{short}</span>
          );
        })}
      </span>
    </li>
  );
}

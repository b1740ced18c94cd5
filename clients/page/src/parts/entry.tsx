/** What one player did in a turn, in short, with the way to where the last of it was. */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { text } from "../messages/index.ts";
import { nameOf } from "../model/event_sentences.ts";
import { placesOf } from "../model/news.ts";
import type { Step } from "../session/game_history.ts";
import type { GameSession } from "../session/game_session.ts";
import { ShortStep, classOf, wordsOf } from "./short_events.tsx";

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
  const placed = told.findLast(({ diff }) => placesOf(diff).length > 0);
  const content = (
    <span>
      {seat !== null && <b aria-hidden="true">{nameOf(first.game, seat)} </b>}
      {told.map((step) => (
        <ShortStep key={step.diff.version} session={session} step={step} />
      ))}
    </span>
  );
  return (
    <li class={classOf(first)}>
      {placed ? (
        <button title={text.news.show} onClick={() => session.locate(placed)}>
          {content}
        </button>
      ) : (
        content
      )}
    </li>
  );
}

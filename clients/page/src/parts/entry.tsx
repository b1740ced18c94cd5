/** What one change was, in words, with the way to where it was. */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { text } from "../messages/index.ts";
import { sentences } from "../model/event_sentences.ts";
import { placesOf } from "../model/news.ts";
import type { Step } from "../session/game_history.ts";
import type { GameSession } from "../session/game_session.ts";

/** Made once: what has happened stays. */
export function Entry({ session, step }: { session: GameSession; step: Step }): JSX.Element | null {
  return useMemo(() => entryOf(session, step), [session, step, session.tileset, text]);
}

function entryOf(session: GameSession, step: Step): JSX.Element | null {
  const said = wordsOf(session, step);
  if (said === "") return null;
  return (
    <li class={classOf(step)}>
      {placesOf(step.diff).length === 0 ? (
        said
      ) : (
        <button title={text.news.show} onClick={() => session.locate(step)}>
          {said}
        </button>
      )}
    </li>
  );
}

export function wordsOf({ tileset }: GameSession, { diff, game }: Step): string {
  return tileset ? sentences(diff, game, tileset).join(" ") : "";
}

/** With the colour of whoever it was. */
export function classOf({ diff, game }: Step): string {
  const color = diff.seat === null ? null : (game.players[diff.seat]?.color ?? null);
  return color === null ? "entry" : `entry ink-${color}`;
}

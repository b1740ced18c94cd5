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

function entryOf(session: GameSession, { diff, game }: Step): JSX.Element | null {
  const said = session.tileset ? sentences(diff, game, session.tileset).join(" ") : "";
  const color = diff.seat === null ? null : (game.players[diff.seat]?.color ?? null);
  const places = placesOf(diff);
  if (said === "") return null;
  return (
    <li class={color === null ? "entry" : `entry ink-${color}`}>
      {places.length === 0 ? (
        said
      ) : (
        <button title={text.news.show} onClick={() => session.showPlaces(places)}>
          {said}
        </button>
      )}
    </li>
  );
}

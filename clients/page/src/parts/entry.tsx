/** What one change was, in words, with the way to where it was. */

import type { JSX } from "preact";
import { PAINTS } from "../board/figure.tsx";
import { text } from "../messages/index.ts";
import { sentences } from "../model/event_sentences.ts";
import { placesOf } from "../model/news.ts";
import type { Step } from "../session/game_history.ts";
import type { GameSession } from "../session/game_session.ts";
import { Icon } from "./icon.tsx";

export function Entry({ session, step }: { session: GameSession; step: Step }): JSX.Element | null {
  const { diff, game } = step;
  const said = session.tileset ? sentences(diff, game, session.tileset) : [];
  const color = diff.seat === null ? null : (game.players[diff.seat]?.color ?? null);
  const places = placesOf(diff);
  if (said.length === 0) return null;
  const words = (
    <>
      {color !== null && (
        <svg class="dot" viewBox="0 0 10 10" aria-hidden="true">
          <circle cx="5" cy="5" r="4.5" fill={PAINTS[color]?.fill} />
        </svg>
      )}
      <span>{said.join(" ")}</span>
    </>
  );
  return (
    <li class={color === null ? "entry" : `entry ink-${color}`}>
      {places.length === 0 ? (
        words
      ) : (
        <button title={text.news.show} onClick={() => session.showPlaces(places)}>
          {words}
          <Icon name="find" />
          <span class="unseen">{text.news.show}</span>
        </button>
      )}
    </li>
  );
}

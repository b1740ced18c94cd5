/** What a touched tile or figure is, and what its features are worth so far (R8.4). */

import type { JSX } from "preact";
import { text } from "../messages/index.ts";
import { keyOf } from "../model/cells.ts";
import { kindAt, nameOf } from "../model/event_sentences.ts";
import { featureAt } from "../model/worth.ts";
import { Icon } from "../parts/icon.tsx";
import { scrollSign } from "../parts/scroll_sign.ts";
import type { GameSession } from "../session/game_session.ts";

export function Inspected({ session }: { session: GameSession }): JSX.Element | null {
  const { features, inspected } = session.inspection;
  if (!inspected) return null;
  const { cell, segment } = inspected;
  const touched = featureAt(features, cell, segment);
  return (
    <section class="inspected" aria-label={text.worth.features}>
      <header>
        <b>{headingOf(session) ?? text.describe.tileAt(cell.x, cell.y)}</b>
        <button class="round" aria-label={text.close} onClick={() => session.inspect(null)}>
          <Icon name="close" />
        </button>
      </header>
      <ul ref={scrollSign}>
        {features.map((feature) => {
          const own = feature.segments.find(({ x, y }) => x === cell.x && y === cell.y);
          return (
            <li key={own?.segment}>
              <button
                aria-pressed={feature === touched}
                onClick={() => session.inspect(cell, own?.segment ?? null)}
              >
                {feature.text}
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Whose islander is touched, and what it is; null where there is none. */
function headingOf({ game, tileset, inspection: { inspected } }: GameSession): string | null {
  const placed = inspected && game?.board[keyOf(inspected.cell)];
  const seat = placed?.islanders.find(({ segment }) => segment === inspected?.segment)?.seat;
  if (!inspected || !game || !tileset || seat === undefined) return null;
  return text.islander.of(nameOf(game, seat), kindAt(game, tileset, inspected.cell, inspected.segment ?? 0));
}

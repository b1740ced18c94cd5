/** What happened, in words, the last first. */

import type { JSX } from "preact";
import { PAINTS } from "../board/figure.tsx";
import { text } from "../messages/index.ts";
import { sentences } from "../model/story.ts";
import type { Table } from "../table/table.ts";

const MOST = 250;

export function Log({ table }: { table: Table }): JSX.Element | null {
  const { tileset } = table;
  if (!tileset) return null;
  const course = table.course.slice(-MOST).reverse();
  return (
    <ol class="log" aria-label={text.table.log} tabindex={0}>
      {course.map(({ diff, game }) => {
        const said = sentences(diff, game, tileset);
        const color = diff.seat === null ? null : (game.players[diff.seat]?.color ?? null);
        if (said.length === 0) return null;
        return (
          <li key={diff.version} class={color === null ? "" : `ink-${color}`}>
            {color !== null && (
              <svg class="dot" viewBox="0 0 10 10" aria-hidden="true">
                <circle cx="5" cy="5" r="4.5" fill={PAINTS[color]?.fill} />
              </svg>
            )}
            <span>{said.join(" ")}</span>
          </li>
        );
      })}
    </ol>
  );
}

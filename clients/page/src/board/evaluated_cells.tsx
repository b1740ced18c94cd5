/** What has lately been finished lights up in the colours of who gained by it, one after the other. */

import type { JSX } from "preact";
import { SIZE, keyOf } from "../model/cells.ts";
import type { Step } from "../session/game_history.ts";
import { PAINTS } from "./figure.tsx";

export function EvaluatedCells({ steps }: { steps: readonly Step[] }): JSX.Element {
  return (
    <>
      {steps.map(({ diff, game, delayMs }) => (
        <g
          key={diff.version}
          class="evaluated"
          data-version={diff.version}
          style={{ animationDelay: `${delayMs}ms` }}
        >
          {diff.events.flatMap((event, number) => {
            if (event.type !== "feature_evaluated") return [];
            const [winner] = event.winners;
            const color = winner === undefined ? "" : (game.players[winner]?.color ?? "");
            return event.cells.map((cell) => (
              <rect
                key={`${number}:${keyOf(cell)}`}
                data-event={number}
                x={cell.x * SIZE}
                y={cell.y * SIZE}
                width={SIZE}
                height={SIZE}
                fill={PAINTS[color]?.fill ?? "#ffffff"}
              />
            ));
          })}
        </g>
      ))}
    </>
  );
}

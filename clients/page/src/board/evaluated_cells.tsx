/** What has just been finished lights up in the colours of who gained by it. */

import type { JSX } from "preact";
import { SIZE, keyOf } from "../model/cells.ts";
import type { GameSession } from "../session/game_session.ts";
import { PAINTS } from "./figure.tsx";

export function EvaluatedCells({ session }: { session: GameSession }): JSX.Element | null {
  const step = session.stepShown;
  if (!step) return null;
  return (
    <g class="evaluated">
      {step.diff.events.flatMap((event, number) => {
        if (event.type !== "feature_evaluated") return [];
        const [winner] = event.winners;
        const color = winner === undefined ? "" : (step.game.players[winner]?.color ?? "");
        return event.cells.map((cell) => (
          <rect
            key={`${number}:${keyOf(cell)}`}
            x={cell.x * SIZE}
            y={cell.y * SIZE}
            width={SIZE}
            height={SIZE}
            fill={PAINTS[color]?.fill ?? "#ffffff"}
          />
        ));
      })}
    </g>
  );
}

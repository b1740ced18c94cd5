/** What has lately been finished lights up in the colours of who gained by it, one after the other. */

import type { Game } from "south-seas-client";
import type { JSX } from "preact";
import { SIZE, keyOf } from "../model/cells.ts";
import { WARES } from "../model/payments.ts";
import { WareIcon } from "../parts/icon.tsx";
import type { Step } from "../session/game_history.ts";
import { PAINTS } from "./figure.tsx";
import { at } from "./placed.tsx";

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
            if (event.type !== "feature_evaluated" || event.cause === "final") return [];
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

/** How far below each other the gains of several players lie, in units of the board. */
const LINE = 34;

/** What the end of the game brought each player, on the features that brought it: it stays there (R7.2). */
export function FinalGains({ game, steps }: { game: Game; steps: readonly Step[] }): JSX.Element {
  const gains = steps.flatMap(({ diff }) =>
    diff.events.flatMap((event) => {
      if (event.type !== "feature_evaluated" || event.cause !== "final") return [];
      const cell = event.cells[event.cells.length >> 1] ?? { x: 0, y: 0 };
      const middle = { x: (cell.x + 0.5) * SIZE, y: (cell.y + 0.5) * SIZE };
      return WARES.filter((ware) => event.wares[ware] > 0).flatMap((ware) =>
        event.winners.map((seat, line) => ({ ware, count: event.wares[ware], seat, line, middle })),
      );
    }),
  );
  return (
    <g class="final-gains" aria-hidden="true">
      {gains.map(({ ware, count, seat, line, middle }, number) => (
        <g key={number} transform={at(middle)}>
          <g class="gain-badge">
            <g transform={at({ x: 0, y: line * LINE })}>
              <rect
                x="-30"
                y="-15"
                width="60"
                height="30"
                rx="15"
                stroke={PAINTS[game.players[seat]?.color ?? ""]?.fill}
              />
              <text x="-20" y="6">
                +{count}
              </text>
              <svg x="4" y="-10" width="20" height="20" viewBox="0 0 16 16">
                <WareIcon ware={ware} />
              </svg>
            </g>
          </g>
        </g>
      ))}
    </g>
  );
}

/** What has lately been finished lights up in the colours of who gained by it, one after the other. */

import type { Game } from "south-seas-client";
import type { JSX } from "preact";
import { type Cell, SIZE, keyOf } from "../model/cells.ts";
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

/** The sides of a badge, and the least that its width is on the screen, so that it can be read. */
const BADGE = { width: 60, height: 30 };
const LEGIBLE = 60;

interface FinalGainsProps {
  readonly game: Game;
  readonly steps: readonly Step[];
  /** How large a tile is on the screen. */
  readonly tileSize: number;
}

/** What the end of the game brought each player, on the features that brought it, or below each other: it stays there (R7.2). */
export function FinalGains({ game, steps, tileSize }: FinalGainsProps): JSX.Element {
  const gains = steps.flatMap(({ diff }) =>
    diff.events.flatMap((event) => {
      if (event.type !== "feature_evaluated" || event.cause !== "final") return [];
      const cell = event.cells[event.cells.length >> 1] ?? { x: 0, y: 0 };
      const middle = { x: (cell.x + 0.5) * SIZE, y: (cell.y + 0.5) * SIZE };
      return WARES.filter((ware) => event.wares[ware] > 0).flatMap((ware) =>
        event.winners.map((seat) => ({ ware, count: event.wares[ware], seat, middle })),
      );
    }),
  );
  const scale = Math.max(1, LEGIBLE / tileSize);
  const middles = below(
    gains.map(({ middle }) => middle),
    BADGE.width * scale,
    BADGE.height * scale,
  );
  return (
    <g class="final-gains" aria-hidden="true">
      {gains.map(({ ware, count, seat }, number) => (
        <g
          key={number}
          class="gain-badge"
          transform={`${at(middles[number] ?? { x: 0, y: 0 })} scale(${scale})`}
        >
          <rect x="-30" y="-15" {...BADGE} rx="15" stroke={PAINTS[game.players[seat]?.color ?? ""]?.fill} />
          <text x="-20" y="6">
            +{count}
          </text>
          <svg x="4" y="-10" width="20" height="20" viewBox="0 0 16 16">
            <WareIcon ware={ware} />
          </svg>
        </g>
      ))}
    </g>
  );
}

/** How far boxes are put apart that would lie over each other: more than rounding could bring together again. */
const APART = 4;

/** The middles of boxes of one size, each as far below its place as those before it take room. */
export function below(places: readonly Cell[], width: number, height: number): readonly Cell[] {
  const taken: Cell[] = [];
  for (const { x, y } of places) {
    const box = { x, y };
    const isOver = (other: Cell): boolean =>
      Math.abs(other.x - x) < width && Math.abs(other.y - box.y) < height;
    for (let other = taken.find(isOver); other; other = taken.find(isOver)) box.y = other.y + height + APART;
    taken.push(box);
  }
  return taken;
}

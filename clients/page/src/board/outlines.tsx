/** Lines around features and places, over the tiles. */

import type { Game } from "south-seas-client";
import type { JSX } from "preact";
import { borderOf } from "../model/cells.ts";
import type { Outline } from "../model/worth.ts";
import { PAINTS } from "./figure.tsx";

export function Outlines({ game, outlines }: { game: Game; outlines: readonly Outline[] }): JSX.Element {
  return (
    <g class="outlines">
      {outlines.map(({ cells, seat }) => {
        const border = borderOf(cells);
        const color = seat === null ? "" : (game.players[seat]?.color ?? "");
        return (
          <g key={border}>
            <path class="outline-ground" d={border} />
            <path class="outline" d={border} style={{ stroke: PAINTS[color]?.fill }} />
          </g>
        );
      })}
    </g>
  );
}

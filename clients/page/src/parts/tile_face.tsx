/** A tile by itself. */

import type { JSX } from "preact";
import type { Pictures } from "../board/pictures.ts";
import { TilePicture } from "../board/placed.tsx";
import { SIZE } from "../model/cells.ts";

interface TileFaceProps {
  readonly pictures: Pictures;
  readonly tile: string;
  readonly rotation: number;
  readonly label: string;
}

export function TileFace({ pictures, tile, rotation, label }: TileFaceProps): JSX.Element {
  return (
    <svg class="tile-face" viewBox={`0 0 ${SIZE} ${SIZE}`} role="img" aria-label={label}>
      <TilePicture href={pictures.href(tile, rotation)} />
    </svg>
  );
}

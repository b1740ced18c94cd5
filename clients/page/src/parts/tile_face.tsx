/** A tile by itself. */

import type { JSX } from "preact";
import type { Pictures } from "../board/pictures.ts";
import { TilePicture } from "../board/placed.tsx";
import { SIZE } from "../model/cells.ts";
import { useObservable } from "../model/observable.ts";

interface TileFaceProps {
  readonly pictures: Pictures;
  readonly tile: string;
  readonly rotation: number;
  readonly label: string;
}

export function TileFace({ pictures, tile, rotation, label }: TileFaceProps): JSX.Element {
  useObservable(pictures);
  return (
    <svg class="tile-face" viewBox={`0 0 ${SIZE} ${SIZE}`} role="img" aria-label={label}>
      <TilePicture href={pictures.isLoaded ? pictures.href(tile, rotation) : null} />
    </svg>
  );
}

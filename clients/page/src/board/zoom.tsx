/** Zooming by button. */

import type { JSX } from "preact";
import { text } from "../messages/index.ts";
import { Icon } from "../parts/icon.tsx";
import type { ViewRef } from "./view.ts";

export const STEP = 1.35;

interface ZoomProps {
  readonly viewRef: ViewRef;
  /** Whether there is something to choose out of sight. */
  readonly hasOthers: boolean;
  readonly fit: () => void;
}

export function ZoomButtons({ viewRef, hasOthers, fit }: ZoomProps): JSX.Element {
  return (
    <div class="zoom">
      <button
        class={hasOthers ? "round others" : "round others none"}
        aria-label={text.game.others}
        title={text.game.others}
        onClick={() => viewRef.current?.showOthers()}
      >
        <Icon name="others" />
      </button>
      <button class="round" aria-label={text.game.zoomIn} onClick={() => viewRef.current?.zoom(STEP)}>
        <Icon name="plus" />
      </button>
      <button class="round" aria-label={text.game.zoomOut} onClick={() => viewRef.current?.zoom(1 / STEP)}>
        <Icon name="minus" />
      </button>
      <button class="round" aria-label={text.game.fit} onClick={fit}>
        <Icon name="fit" />
      </button>
    </div>
  );
}

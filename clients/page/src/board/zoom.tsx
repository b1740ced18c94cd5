/** Zooming by button. */

import type { JSX } from "preact";
import { text } from "../messages/index.ts";
import { Icon } from "../parts/icon.tsx";
import type { ViewRef } from "./view.ts";

export const STEP = 1.35;

export function ZoomButtons({ viewRef, fit }: { viewRef: ViewRef; fit: () => void }): JSX.Element {
  return (
    <div class="zoom">
      <button
        class="round"
        aria-label={text.game.zoomIn}
        onClick={() => viewRef.current?.zoom(STEP, undefined, true)}
      >
        <Icon name="plus" />
      </button>
      <button
        class="round"
        aria-label={text.game.zoomOut}
        onClick={() => viewRef.current?.zoom(1 / STEP, undefined, true)}
      >
        <Icon name="minus" />
      </button>
      <button class="round" aria-label={text.game.fit} onClick={fit}>
        <Icon name="fit" />
      </button>
    </div>
  );
}

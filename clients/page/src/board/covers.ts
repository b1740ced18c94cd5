/** What lies over the board's frame. */

import type { Box } from "../model/cells.ts";

const COVERS = ".told, .notices > *, .zoom > *, .aside-toggle";

/** What lies over a frame for long, in its pixels: of what has been opened there as much as it takes when it is closed. */
export function coversOf(frame: Element): Box[] {
  const elements = [...document.querySelectorAll(COVERS)];
  return onFrame(frame, elements).flatMap((box, index) => {
    const element = elements[index];
    if (!element || box.left === box.right) return [];
    const closed = element.matches(".told") ? parseFloat(getComputedStyle(element).minHeight) : Infinity;
    return [{ ...box, bottom: Math.min(box.bottom, box.top + closed) }];
  });
}

export function onFrame(frame: Element, elements: Iterable<Element> = []): Box[] {
  const origin = frame.getBoundingClientRect();
  return [...elements].map((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return {
      left: left - origin.left,
      top: top - origin.top,
      right: right - origin.left,
      bottom: bottom - origin.top,
    };
  });
}

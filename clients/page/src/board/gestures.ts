/** One finger or the mouse moves the board, two fingers and the wheel zoom it. */

import type { Point, View } from "./view.ts";

/** How far a pointer moves before it is a drag and no tap. */
export const SLACK = 7;
const WHEEL_SPEED = 0.0016;

/** Lets pointers on `frame` move the view; `onWheel` may take a turn of the wheel for itself. Gives what ends it. */
export function gestures(
  frame: SVGSVGElement,
  view: View,
  onWheel: (event: WheelEvent) => boolean,
): () => void {
  const pointers = new Map<number, Point>();
  const ending = new AbortController();
  const { signal } = ending;
  let hasMoved = false;
  let start: Point = { x: 0, y: 0 };

  function down(event: PointerEvent): void {
    if (event.button !== 0 && event.pointerType === "mouse") return;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    view.hold();
    if (pointers.size === 1) {
      hasMoved = false;
      start = { x: event.clientX, y: event.clientY };
    }
  }

  function move(event: PointerEvent): void {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    // It was let go where nobody heard of it.
    if (event.buttons === 0) return up(event);
    const now = { x: event.clientX, y: event.clientY };
    if (!hasMoved && pointers.size === 1) {
      if (Math.hypot(now.x - start.x, now.y - start.y) < SLACK) return;
      hasMoved = true;
      frame.setPointerCapture(event.pointerId);
    }
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      hasMoved = true;
      const apart = Math.hypot(before.x - other.x, before.y - other.y);
      view.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
      if (apart > 0) view.zoom(Math.hypot(now.x - other.x, now.y - other.y) / apart, middle(now, other));
    } else {
      view.pan(now.x - before.x, now.y - before.y);
    }
    pointers.set(event.pointerId, now);
  }

  function up(event: PointerEvent): void {
    // The tap comes to what it was for, before anything moves.
    if (pointers.delete(event.pointerId) && pointers.size === 0) setTimeout(() => view.release());
  }

  function wheel(event: WheelEvent): void {
    event.preventDefault();
    if (!event.ctrlKey && onWheel(event)) return;
    const speed = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 20 * WHEEL_SPEED : WHEEL_SPEED;
    view.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 5 * speed : speed)), {
      x: event.clientX,
      y: event.clientY,
    });
  }

  // What ends a drag is no tap on what lies under it.
  function click(event: MouseEvent): void {
    if (!hasMoved) return;
    hasMoved = false;
    event.stopPropagation();
  }

  frame.addEventListener("pointerdown", down, { signal });
  frame.addEventListener("pointermove", move, { signal });
  addEventListener("pointerup", up, { signal });
  addEventListener("pointercancel", up, { signal });
  frame.addEventListener("wheel", wheel, { signal, passive: false });
  frame.addEventListener("click", click, { signal, capture: true });
  return () => ending.abort();
}

function middle(one: Point, other: Point): Point {
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
}

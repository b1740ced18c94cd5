/** What the device is pointed at with. */

/** The least side of what can be pressed: by a finger (WCAG 2.5.5), and by a mouse (2.5.8). */
export const FINGER = 44;
export const MOUSE = 24;

const COARSE = matchMedia("(any-pointer: coarse)");

/** In pixels: a finger's, unless there is none. */
export function leastTarget(): number {
  return COARSE.matches ? FINGER : MOUSE;
}

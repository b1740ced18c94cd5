/** Whether things may move on the screen. */

const CALM = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether the user wants as little motion as can be. */
export function isCalm(): boolean {
  return CALM.matches;
}

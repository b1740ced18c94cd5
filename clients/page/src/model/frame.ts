/** Whether another site shows the page in a frame, which has a header of its own, and no rights to notify or to copy. */
export function isFramed(): boolean {
  return window.parent !== window;
}

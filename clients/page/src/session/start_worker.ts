/** The service worker: it keeps the page for when there is no network, and shows notifications. */

import { isFramed } from "../model/frame.ts";
import { LOBBY, goTo } from "../model/route.ts";

/** When what is on the screen has been loaded, also over a slow network. */
const LATER_MS = 4000;

/** Some browsers have no service workers, or refuse them in private windows: there the page needs a network. */
function refused(): void {}

export function startWorker(): void {
  if (isFramed() || !("serviceWorker" in navigator)) return;
  // The path of the game whose notification was pressed.
  navigator.serviceWorker.addEventListener("message", ({ data }) => goTo(data as string));
  setTimeout(
    () => void navigator.serviceWorker.register(`${LOBBY}service_worker.js`).catch(refused),
    LATER_MS,
  );
}

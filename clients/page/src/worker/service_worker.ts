/**
 * Opens the page where there is no network, and a game from its notification.
 *
 * It stores nothing private: games are in the page's own storage.
 */

import { withinPatience } from "../model/patience.ts";

declare const self: ServiceWorkerGlobalScope;

/** What the page consists of, as `scripts/build.mjs` has it. */
declare const BUILD: {
  readonly digest: string;
  /** The script that names this build in the page. */
  readonly script: string;
  readonly files: string[];
  /** Those of the files that are a language's, of which the page names its reader's. */
  readonly languages: string[];
};

/** The path of the service, and the page's: this script is right below it. */
const PAGE = new URL("./", self.location.href).pathname;
/** The end of the names of this service's caches: others may have the same origin. */
const OWN = `-${PAGE}`;
const CACHE = `south-seas-${BUILD.digest}${OWN}`;
const PAGES = /^(games\/[a-z0-9-]+)?$/;
const TILESETS = "v1/tilesets/";
/** From this status on an answer is not the service's own: a proxy does not reach it. */
const UNREACHABLE_STATUS = 502;

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openGame(event.notification.data as string));
});
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  const path = pathBelow(pathname);
  if (request.mode === "navigate") {
    if (PAGES.test(path)) event.respondWith(fetchPage(request));
  } else if (BUILD.files.includes(path) || path.startsWith(TILESETS)) {
    event.respondWith(fetchOnce(request));
  }
});

/** What follows the service's path in another; scripts see no path that does not begin with it. */
function pathBelow(pathname: string): string {
  return pathname.slice(PAGE.length);
}

async function install(): Promise<void> {
  const page = await fetch(PAGE, { headers: { Accept: "text/html" }, cache: "no-cache" });
  // While instances are replaced, one may still have the build before; the browser tries again later.
  const html = await page.text();
  if (!html.includes(BUILD.script)) throw new Error("the page is of another build");
  const cache = await caches.open(CACHE);
  await cache.addAll(BUILD.files.filter((file) => !BUILD.languages.includes(file) || html.includes(file)));
  // It is also shown at the address of a game, from which its links lead elsewhere.
  const { headers } = page;
  await cache.put(PAGE, new Response(html.replaceAll('="./', `="${PAGE}`), { headers }));
  await self.skipWaiting();
}

async function activate(): Promise<void> {
  const outdated = (await caches.keys()).filter((name) => name.endsWith(OWN) && name !== CACHE);
  await Promise.all(outdated.map((name) => caches.delete(name)));
  await self.clients.claim();
}

/** The page as the service has it now; as it was stored where no network, or a service that hangs, leaves it unanswered. */
async function fetchPage(request: Request): Promise<Response> {
  const fetched = fetch(request).catch(() => null);
  const response = await withinPatience(fetched);
  if (response !== null && response.status < UNREACHABLE_STATUS) return response;
  const stored = await caches.match(PAGE, { ignoreVary: true });
  return stored ?? (await fetched) ?? Response.error();
}

/** What never changes under its URL: the files of a build, tile sets and their pictures. */
async function fetchOnce(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const stored = await cache.match(request, { ignoreVary: true });
  if (stored) return stored;
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    // Pictures of an earlier release are better than none.
    const older = await cache.match(request, { ignoreVary: true, ignoreSearch: true });
    if (!older) throw error;
    return older;
  }
}

/** Shows a game in a window of the page that is open, or in a new one. */
async function openGame(path: string): Promise<void> {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const open = windows.find(({ url }) => PAGES.test(pathBelow(new URL(url).pathname)));
  if (!open) {
    await self.clients.openWindow(path);
    return;
  }
  open.postMessage(path);
  await open.focus();
}

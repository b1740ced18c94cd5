/** Which screen the address names. What is private is in the fragment, so that no token is ever sent with it. */

import { isFramed } from "./frame.ts";
import { openHere, whenSettled } from "./back.ts";

export type Route =
  | { readonly screen: "lobby" }
  | {
      readonly screen: "game";
      readonly id: string;
      readonly tokens: Tokens | null;
      /** The step of a replay that a link leads to. */
      readonly step: number | null;
    };

/** What a link lets somebody do in a game. */
export interface Tokens {
  readonly owner: string | null;
  readonly spectator: string | null;
  readonly seats: Readonly<Record<string, string>>;
}

/** The path of the service, of which a proxy may have put another before it: this script is in `assets/` below it. */
export const LOBBY = new URL("../", import.meta.url).pathname;

const GAME = /^games\/([a-z0-9-]{1,32})$/;
const TOKEN = /^(owner|spectator|seat([0-4]))=([A-Za-z0-9._~-]{1,200})$/;
const STEP = /^move=(\d{1,6})$/;

export function routeOf({ pathname, hash }: Pick<Location, "pathname" | "hash">): Route {
  const id = gameOf(pathname);
  if (id === undefined) return { screen: "lobby" };
  // The end of a sentence is not the link's, though some programs take it along.
  const parts = hash
    .slice(1)
    .replace(/(%[0-9A-F]{2}|[^\w~-])+$/, "")
    .split("&");
  const step = parts.map((part) => STEP.exec(part)?.[1]).find((found) => found !== undefined);
  return { screen: "game", id, tokens: tokensIn(parts), step: step === undefined ? null : Number(step) };
}

/** The tokens among the parts of a fragment, such as `owner=TOKEN` and `seat1=TOKEN`; null where there are none. */
function tokensIn(parts: readonly string[]): Tokens | null {
  const found = parts.map((part) => TOKEN.exec(part)).filter((part) => part !== null);
  if (found.length === 0) return null;
  const token = (name: string): string | null => found.find((part) => part[1] === name)?.[3] ?? null;
  const seats = found.flatMap(([, , seat, value]) => (seat && value ? [[seat, value] as const] : []));
  return { owner: token("owner"), spectator: token("spectator"), seats: Object.fromEntries(seats) };
}

/** The game whose page this is the path of. */
function gameOf(pathname: string): string | undefined {
  return pathname.startsWith(LOBBY) ? GAME.exec(pathname.slice(LOBBY.length))?.[1] : undefined;
}

export function pathOf(id: string): string {
  return `${LOBBY}games/${id}`;
}

/** The link with which somebody opens a game, or a step of it, and may do there what these tokens let them. */
export function linkTo(id: string, tokens: Partial<Tokens>, step: number | null = null): string {
  const seats = Object.entries(tokens.seats ?? {}).map(([seat, token]) => [`seat${seat}`, token] as const);
  const parts = [
    ["owner", tokens.owner ?? null] as const,
    ["spectator", tokens.spectator ?? null] as const,
    ...seats,
    ["move", step] as const,
  ];
  const link = new URL(pathOf(id), location.origin);
  link.hash = parts.flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`])).join("&");
  return link.href;
}

/** Goes to another screen of the page, which takes the place of what is open over this one. */
export function goTo(path: string): void {
  whenSettled(() => {
    const state = { ...(history.state as object | null), open: 0 };
    if (openHere() > 0) history.replaceState(state, "", path);
    else history.pushState(state, "", path);
    dispatchEvent(new PopStateEvent("popstate"));
  });
}

/** Goes to the screen of a link that is followed in this tab, without loading the page again. */
export function followLink(event: MouseEvent): void {
  const link = (event.target as Element).closest("a");
  const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (!link || !isPlain || event.defaultPrevented || link.origin !== location.origin) return;
  if (link.pathname !== LOBBY && gameOf(link.pathname) === undefined) {
    // Only the page itself may be shown in a frame.
    if (isFramed()) link.target = "_blank";
    return;
  }
  event.preventDefault();
  goTo(link.pathname + link.hash);
}

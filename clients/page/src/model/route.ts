/** Which screen the address names. What is private is in the fragment, so that no token is ever sent with it. */

export type Route =
  | { readonly screen: "lobby" }
  | { readonly screen: "game"; readonly id: string; readonly tokens: Tokens | null };

/** What a link lets somebody do in a game. */
export interface Tokens {
  readonly owner: string | null;
  readonly spectator: string | null;
  readonly seats: Readonly<Record<string, string>>;
}

export const LOBBY = "/";

const GAME = /^\/games\/([a-z0-9-]{1,32})$/;
const TOKEN = /^(owner|spectator|seat([0-4]))=([A-Za-z0-9._~-]{1,200})$/;

export function routeOf({ pathname, hash }: Pick<Location, "pathname" | "hash">): Route {
  const id = GAME.exec(pathname)?.[1];
  return id === undefined ? { screen: "lobby" } : { screen: "game", id, tokens: tokensIn(hash) };
}

/** The tokens of a fragment such as `#spectator=TOKEN` or `#owner=TOKEN&seat1=TOKEN`; null where there are none. */
function tokensIn(fragment: string): Tokens | null {
  const found = fragment
    .slice(1)
    .split("&")
    .map((part) => TOKEN.exec(part))
    .filter((part) => part !== null);
  const token = (name: string): string | null => found.find((part) => part[1] === name)?.[3] ?? null;
  const seats = found.flatMap(([, , seat, value]) => (seat && value ? [[seat, value] as const] : []));
  if (found.length === 0) return null;
  return { owner: token("owner"), spectator: token("spectator"), seats: Object.fromEntries(seats) };
}

export function pathOf(id: string): string {
  return `/games/${id}`;
}

/** The link with which somebody opens a game and may do there what these tokens let them. */
export function linkTo(id: string, { owner = null, spectator = null, seats = {} }: Partial<Tokens>): string {
  const named = Object.entries(seats).map(([seat, token]) => [`seat${seat}`, token] as const);
  const tokens = [["owner", owner] as const, ["spectator", spectator] as const, ...named];
  const link = new URL(pathOf(id), location.origin);
  link.hash = tokens.flatMap(([name, token]) => (token === null ? [] : [`${name}=${token}`])).join("&");
  return link.href;
}

/** Goes to another screen of the page. */
export function goTo(path: string): void {
  history.pushState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
}

/** Goes to the screen of a link that is followed in this tab, without loading the page again. */
export function followLink(event: MouseEvent): void {
  const link = (event.target as Element).closest("a");
  const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (!link || !isPlain || event.defaultPrevented || link.origin !== location.origin) return;
  if (link.pathname !== LOBBY && !GAME.test(link.pathname)) return;
  event.preventDefault();
  goTo(link.pathname + link.hash);
}

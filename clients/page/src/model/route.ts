/** Which screen the address names. Everything is in the fragment, so that no token is ever sent with it. */

export type Route =
  | { readonly screen: "lobby" }
  | { readonly screen: "game"; readonly id: string; readonly token: string | null };

const TABLE = /^#\/?([a-z0-9-]{1,32})(?:\.([A-Za-z0-9._~+/=-]{1,200}))?$/;

export function routeOf(fragment: string): Route {
  const found = TABLE.exec(fragment);
  return found?.[1] ? { screen: "game", id: found[1], token: found[2] ?? null } : { screen: "lobby" };
}

/** The fragment of a game's URL, with a token only where a guest needs it. */
export function fragmentOf(id: string, token: string | null = null): string {
  return token === null ? `#${id}` : `#${id}.${token}`;
}

/** The link to send to whoever should join a game. */
export function inviteLink(id: string, token: string | null): string {
  return new URL(fragmentOf(id, token), location.origin + location.pathname).href;
}

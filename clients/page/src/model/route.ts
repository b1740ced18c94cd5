/** Which screen the address names. Everything is in the fragment, so that no token is ever sent with it. */

export type Route =
  | { readonly screen: "lobby" }
  | {
      readonly screen: "game";
      readonly id: string;
      readonly token: string | null;
      /** The step of a replay that a link leads to. */
      readonly step: number | null;
    };

const TABLE = /^#\/?([a-z0-9-]{1,32})(?:\.([A-Za-z0-9._~+/=-]{1,200}))?$/;

const STEP = /&move=(\d{1,6})$/;

export function routeOf(fragment: string): Route {
  const found = TABLE.exec(fragment.replace(STEP, ""));
  const step = STEP.exec(fragment)?.[1];
  if (!found?.[1]) return { screen: "lobby" };
  return { screen: "game", id: found[1], token: found[2] ?? null, step: step ? Number(step) : null };
}

/** The fragment of a game's URL, with a token only where a guest needs it, and the step of a replay. */
export function fragmentOf(id: string, token: string | null = null, step: number | null = null): string {
  return `#${id}${token === null ? "" : `.${token}`}${step === null ? "" : `&move=${step}`}`;
}

/** The link to send to whoever should join a game, or see a step of it. */
export function inviteLink(id: string, token: string | null, step: number | null = null): string {
  return new URL(fragmentOf(id, token, step), location.origin + location.pathname).href;
}

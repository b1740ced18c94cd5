/**
 * What the browser should know of the page's language: to speak and to translate it, and to install it. Only `noscript`
 * keeps the browser's own: without scripts nobody can have chosen another.
 */

import { text } from "../messages/index.ts";
import { LOBBY } from "../model/route.ts";

export function showLanguage(): void {
  document.documentElement.lang = text.language;
  document
    .querySelector("link[rel=manifest]")
    ?.setAttribute("href", `${LOBBY}manifests/${text.language}.webmanifest`);
  document.querySelector("meta[name=description]")?.setAttribute("content", text.description);
}

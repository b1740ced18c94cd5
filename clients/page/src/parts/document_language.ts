/** What the browser should know of the page's language: to speak it, to translate it, and to name the page at home. */

import { text } from "../messages/index.ts";

export function showLanguage(): void {
  document.documentElement.lang = text.language;
  document.querySelector("meta[name=description]")?.setAttribute("content", text.description);
  const manifest = document.querySelector<HTMLLinkElement>("link[rel=manifest]");
  const translated = manifest?.dataset[text.language];
  if (manifest && translated !== undefined) manifest.href = translated;
}

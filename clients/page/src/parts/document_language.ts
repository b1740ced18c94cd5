/** What the browser should know of the page's language, to speak and to translate it. */

import { text } from "../messages/index.ts";

export function showLanguage(): void {
  document.documentElement.lang = text.language;
  document.querySelector("meta[name=description]")?.setAttribute("content", text.description);
}

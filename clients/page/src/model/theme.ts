/** Light or dark: as the device is, or as the user wants it. */

import { preferences } from "./storage.ts";

export function showTheme(): void {
  document.documentElement.dataset["theme"] = preferences().theme;
}

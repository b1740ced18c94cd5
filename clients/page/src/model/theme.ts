/** Light or dark: as the device is, or as the user wants it. */

import { likes } from "./memory.ts";

export function showTheme(): void {
  document.documentElement.dataset["theme"] = likes().theme;
}

/** The words of the page, in the reader's language where there is one. */

import { en, type Messages } from "./en.ts";

const LANGUAGES: readonly Messages[] = [en];

export const text: Messages =
  navigator.languages
    .map((wanted) => LANGUAGES.find(({ language }) => wanted.split("-")[0] === language))
    .find((found) => found !== undefined) ?? en;

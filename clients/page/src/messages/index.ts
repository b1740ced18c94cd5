/** The words of the page, in the reader's language. */

import { Observable } from "../model/observable.ts";
import { preferences, savePreferences } from "../model/storage.ts";
import type { Messages } from "./en.ts";

/** Each language is a file of its own, which only its readers load. */
export const LANGUAGES = {
  en: (): Promise<Messages> => import("./en.ts").then(({ en }) => en),
  fr: (): Promise<Messages> => import("./fr.ts").then(({ fr }) => fr),
  de: (): Promise<Messages> => import("./de.ts").then(({ de }) => de),
};

export type Language = keyof typeof LANGUAGES;

/** Every word of the page. Read it when it is shown, as the reader may change the language at any time. */
export let text: Messages;

/** The language of the page; its observers show their words anew. */
class LanguageSetting extends Observable {
  /** Loads the language that the reader has chosen, else the first of the browser's that there is, else English. */
  async load(): Promise<void> {
    const wanted = [preferences().language ?? "", ...navigator.languages].map(
      (tag) => tag.split("-")[0] ?? "",
    );
    this.use(await LANGUAGES[wanted.find(isLanguage) ?? "en"]());
  }

  /** Goes over to another language, and remembers it; without a network the language stays as it is. */
  async choose(language: Language): Promise<void> {
    try {
      this.use(await LANGUAGES[language]());
      savePreferences({ language });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.notify();
    }
  }

  use(messages: Messages): void {
    text = messages;
    this.notify();
  }
}

export const language = new LanguageSetting();

export function isLanguage(code: string): code is Language {
  return Object.hasOwn(LANGUAGES, code);
}

/** What a language calls itself. */
export function nameOfLanguage(code: Language): string {
  return new Intl.DisplayNames(code, { type: "language" }).of(code) ?? code;
}

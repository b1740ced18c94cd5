/** What a screen reader says: one message after the other, so that none is lost because the next one came too soon. */

import { Observable } from "../model/observable.ts";

/** How long a letter takes where speech is slow, and how long the next message waits at most. */
const LETTER_MS = 40;
const LONGEST_MS = 8000;
/** Messages that stay, so that none goes while it is spoken. */
const MAX_MESSAGES = 6;

export interface Message {
  readonly key: number;
  readonly words: string;
}

export class Announcer extends Observable {
  /** The last messages, the newest last. */
  messages: readonly Message[] = [];
  /** What happened, and has not been said. */
  private told: readonly string[] = [];
  /** What is asked now, where that has not been said. */
  private asked = "";
  private spokenAt = -Infinity;
  private waiting: ReturnType<typeof setTimeout> | undefined;
  private count = 0;

  /** Says what happened, after what is being said. */
  tell(words: string): void {
    if (words !== "") this.told = [...this.told, words];
    this.sayNext();
  }

  /** Says what is asked now, after what happened; a question that is asked no more is left out. */
  ask(words: string): void {
    this.asked = words;
    this.sayNext();
  }

  /** Says what cannot wait. */
  warn(words: string): void {
    this.say(words);
  }

  /** Forgets what was said, and what waits. */
  clear(): void {
    [this.told, this.asked, this.messages] = [[], "", []];
    this.notify();
  }

  /** A key was pressed, which silences a screen reader: what waits is said at once. */
  interrupt(): void {
    this.spokenAt = -Infinity;
    this.sayNext();
  }

  private sayNext(): void {
    const left = this.spokenAt - performance.now();
    if (left > 0) {
      this.waiting ??= setTimeout(() => {
        this.waiting = undefined;
        this.sayNext();
      }, left);
      return;
    }
    clearTimeout(this.waiting);
    this.waiting = undefined;
    const words = [...this.told, this.asked].filter((one) => one !== "").join(" ");
    [this.told, this.asked] = [[], ""];
    if (words !== "") this.say(words);
  }

  private say(words: string): void {
    const from = Math.max(this.spokenAt, performance.now());
    this.spokenAt = Math.min(from + LETTER_MS * words.length, performance.now() + LONGEST_MS);
    this.messages = [...this.messages, { key: this.count++, words }].slice(-MAX_MESSAGES);
    this.notify();
  }
}

export const announcer = new Announcer();

/** What this browser stores: its games with their tokens, and its user's preferences. */

import type { Created } from "south-seas-client";
import { loadValue, removeValue, saveValue } from "./browser_storage.ts";
import type { Tokens } from "./route.ts";

const GAMES_KEY = "south-seas.tables";
const PREFERENCES_KEY = "south-seas.likes";
/** Of the games that were only watched; those with a seat are all kept. */
const MAX_WATCHED = 60;

/** A game and the tokens that open it, by seat. */
export interface StoredGame {
  readonly id: string;
  readonly owner: string | null;
  readonly spectator: string | null;
  readonly seats: Readonly<Record<string, string>>;
  readonly private: boolean;
  /** What its lesson has explained; null where it teaches nothing, or no more. */
  readonly lesson: readonly string[] | null;
  /** When it was last opened, in milliseconds. */
  readonly opened: number;
}

/**
 * What is stored of a game beside its tokens: the last step that was seen, what is chosen, the move that is not sent yet,
 * the rematch that has been listed, and whether nobody is to be asked to take an islander home.
 */
const PARTS = ["step", "choice", "move", "rematch", "leave"] as const;
type Part = (typeof PARTS)[number];

export type Theme = "auto" | "light" | "dark";

export interface Preferences {
  readonly name: string;
  readonly theme: Theme;
  /** The chosen language; null where it is the browser's. */
  readonly language: string | null;
  /** Whether the way to play is told at each step. */
  readonly tips: boolean;
  /** Whether a sound, or the device's shaking, tells of a turn while the page is not looked at. */
  readonly sound: boolean;
  readonly vibration: boolean;
  /** Whether the system tells of a turn too; null while nobody has been asked. */
  readonly notifications: boolean | null;
}

const DEFAULT_PREFERENCES: Preferences = {
  name: "",
  theme: "auto",
  language: null,
  tips: true,
  sound: true,
  vibration: true,
  notifications: null,
};

export function preferences(): Preferences {
  return { ...DEFAULT_PREFERENCES, ...(loadValue(PREFERENCES_KEY) as Partial<Preferences> | null) };
}

export function savePreferences(changes: Partial<Preferences>): void {
  save(PREFERENCES_KEY, { ...preferences(), ...changes });
}

/** Lists all stored games, the last opened first. */
export function storedGames(): readonly StoredGame[] {
  const kept = loadValue(GAMES_KEY);
  return Array.isArray(kept) ? (kept as StoredGame[]) : [];
}

export function storedGame(id: string): StoredGame | null {
  return storedGames().find((session) => session.id === id) ?? null;
}

/** Merges changes into a stored game, or stores a new one. */
export function saveGame(id: string, changes: Partial<Omit<StoredGame, "id" | "opened">>): StoredGame {
  const fresh = { id, owner: null, spectator: null, seats: {}, private: false, lesson: null, opened: 0 };
  const before = storedGame(id) ?? fresh;
  const seats = { ...before.seats, ...changes.seats };
  const session: StoredGame = { ...before, ...changes, seats, opened: Date.now() };
  let watched = 0;
  const others = storedGames().filter((other) => other.id !== id);
  writeGames(
    [session, ...others].filter((one) => Object.keys(one.seats).length > 0 || ++watched <= MAX_WATCHED),
  );
  return session;
}

/** Stores a game that is opened, with the tokens that came with a link to it. */
export function saveOpenedGame(id: string, tokens: Tokens | null): StoredGame {
  if (tokens === null) return saveGame(id, {});
  const before = storedGame(id);
  const owner = tokens.owner ?? before?.owner ?? null;
  const spectator = tokens.spectator ?? before?.spectator ?? null;
  return saveGame(id, { owner, spectator, seats: tokens.seats, private: true });
}

/** Stores the tokens of a game that was created here. */
export function saveCreatedGame(created: Created, isPrivate: boolean, isLesson = false): StoredGame {
  return saveGame(created.game.id, {
    lesson: isLesson ? [] : null,
    owner: created.owner_token,
    spectator: created.spectator_token,
    seats: Object.fromEntries(created.seats.map(({ seat, token }) => [seat, token])),
    private: isPrivate,
  });
}

export function removeGame(id: string): void {
  writeGames(storedGames().filter((session) => session.id !== id));
}

/** Forgets the tokens of a game that anybody may watch, and what they let this browser do. */
export function forgetTokens(id: string): StoredGame {
  removeGame(id);
  return saveGame(id, {});
}

/** Stores the games, and forgets all of those that are no longer among them. */
function writeGames(games: readonly StoredGame[]): void {
  const kept = new Set(games.map(({ id }) => id));
  for (const { id } of storedGames()) {
    if (!kept.has(id)) for (const part of PARTS) removeValue(partKey(id, part));
  }
  save(GAMES_KEY, games);
}

/** Returns a part of a game as it was saved; null if there is none. */
export function storedPart(id: string, part: Part): unknown {
  return loadValue(partKey(id, part));
}

/** Saves a part of a game for as long as the game is stored; null removes it. */
export function savePart(id: string, part: Part, value: unknown): void {
  if (value === null) removeValue(partKey(id, part));
  else if (storedGame(id) !== null) save(partKey(id, part), value);
}

/** Saves a value; where there is no room for it, the steps go, which can be read again. */
function save(key: string, value: unknown): void {
  if (saveValue(key, value)) return;
  for (const { id } of storedGames()) removeValue(partKey(id, "step"));
  saveValue(key, value);
}

function partKey(id: string, part: Part): string {
  return `south-seas.${part}.${id}`;
}

/** What this browser keeps: the tables it sits at, with their tokens, and how its user likes the page. */

import type { Created } from "south-seas-client";

const TABLES = "south-seas.tables";
const LIKES = "south-seas.likes";
const MOST_TABLES = 60;

/** A table and what opens it; tokens by seat. */
export interface KnownTable {
  readonly id: string;
  readonly owner: string | null;
  readonly spectator: string | null;
  readonly seats: Readonly<Record<string, string>>;
  readonly private: boolean;
  /** When it was last opened, in milliseconds. */
  readonly opened: number;
}

export type Theme = "auto" | "light" | "dark";

export interface Likes {
  readonly name: string;
  readonly theme: Theme;
  /** Whether the way to play is told at each step. */
  readonly tips: boolean;
}

const DEFAULT_LIKES: Likes = { name: "", theme: "auto", tips: true };

export function likes(): Likes {
  return { ...DEFAULT_LIKES, ...(read(LIKES) as Partial<Likes> | null) };
}

export function keepLikes(changes: Partial<Likes>): void {
  write(LIKES, { ...likes(), ...changes });
}

/** All tables known here, the last opened first. */
export function knownTables(): readonly KnownTable[] {
  const kept = read(TABLES);
  return Array.isArray(kept) ? (kept as KnownTable[]) : [];
}

export function knownTable(id: string): KnownTable | null {
  return knownTables().find((table) => table.id === id) ?? null;
}

/** Keeps what is new of a table; what was kept of it stays. */
export function keepTable(id: string, changes: Partial<Omit<KnownTable, "id" | "opened">>): KnownTable {
  const before = knownTable(id) ?? { id, owner: null, spectator: null, seats: {}, private: false, opened: 0 };
  const seats = { ...before.seats, ...changes.seats };
  const table: KnownTable = { ...before, ...changes, seats, opened: Date.now() };
  write(TABLES, [table, ...knownTables().filter((other) => other.id !== id)].slice(0, MOST_TABLES));
  return table;
}

/** Keeps the tokens of a table that was set up here. */
export function keepCreated(created: Created, isPrivate: boolean): KnownTable {
  return keepTable(created.game.id, {
    owner: created.owner_token,
    spectator: created.spectator_token,
    seats: Object.fromEntries(created.seats.map(({ seat, token }) => [seat, token])),
    private: isPrivate,
  });
}

export function forgetTable(id: string): void {
  write(
    TABLES,
    knownTables().filter((table) => table.id !== id),
  );
}

/** Whether what is kept opens the rematch of a table: of a private one, its spectators' token does not. */
export function opensRematch(table: KnownTable, rematch: string): boolean {
  const joined = table.owner === null && Object.keys(table.seats).length > 0;
  const next = knownTable(rematch);
  const tokens = next ? [next.owner, next.spectator, ...Object.values(next.seats)] : [];
  return !table.private || joined || tokens.some((token) => token !== null);
}

function read(key: string): unknown {
  try {
    return JSON.parse(kept().getItem(key) ?? "null") as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function write(key: string, value: unknown): void {
  kept().setItem(key, JSON.stringify(value));
}

interface Kept {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

/** Whether what is kept outlives this tab. */
export function isLasting(): boolean {
  return kept() !== TAB;
}

const inTab = new Map<string, string>();
const TAB: Kept = {
  getItem: (key) => inTab.get(key) ?? null,
  setItem: (key, value) => void inTab.set(key, value),
};

/** The browser's storage; where its user has blocked that, this tab's memory. */
function kept(): Kept {
  try {
    return localStorage;
  } catch (error) {
    if (error instanceof DOMException) return TAB;
    throw error;
  }
}

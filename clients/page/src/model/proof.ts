/**
 * Checks a game by its log, with the browser's own SHA-256: the chain of digests, the patches, and the order of tiles
 * and ships, which the seed gives. It knows no rules: for these there is `south-seas verify`.
 */

import { type Diff, type Game, PatchError, type TileSet, applyPatch } from "south-seas-client";

/** What can be wrong with a step; `shown` means that it is not what the page has shown. */
export type Fault = "order" | "digest" | "shown" | "patch" | "commitment" | "tiles" | "ships";

export interface Verdict {
  /** The number of steps of the log. */
  readonly steps: number;
  /** The first step that is wrong; null where none is. */
  readonly wrong: { readonly step: number; readonly fault: Fault } | null;
  /** Whether the seed is known, which is secret until the game is over. */
  readonly isSeedKnown: boolean;
  /** Whether the creator of the game chose the seed, and could know the order. */
  readonly isSeedChosen: boolean;
}

const DIGEST_LENGTH = 32;
const DISPLAY_SIZE = 4;

class WrongStep extends Error {
  constructor(
    readonly step: number,
    readonly fault: Fault,
  ) {
    super(`step ${step}: ${fault}`);
  }
}

/** Checks a whole log; `shown` has the digests that the page has shown, by step. `onStep` is told how far it is. */
export async function checkLog(
  log: AsyncIterable<Diff>,
  tileset: TileSet,
  shown: ReadonlyMap<number, string>,
  onStep: (step: number) => void,
): Promise<Verdict> {
  const course: Checked[] = [];
  let wrong: Verdict["wrong"] = null;
  try {
    for await (const diff of log) {
      course.push(await checkStep(diff, course.at(-1) ?? null, shown));
      onStep(course.length);
    }
    await checkOrder(course, tileset);
  } catch (error) {
    if (!(error instanceof WrongStep)) throw error;
    wrong = { step: error.step, fault: error.fault };
  }
  const deck = course.at(-1)?.game.deck;
  return {
    steps: course.length,
    wrong,
    isSeedKnown: (deck?.seed ?? null) !== null,
    isSeedChosen: deck?.seed_chosen === true,
  };
}

/** A step, and the game after it. */
interface Checked {
  readonly diff: Diff;
  readonly game: Game;
}

async function checkStep(
  diff: Diff,
  before: Checked | null,
  shown: ReadonlyMap<number, string>,
): Promise<Checked> {
  const step = (before?.diff.version ?? 0) + 1;
  if (diff.version !== step || (before && diff.game !== before.diff.game)) throw new WrongStep(step, "order");
  const { digest, ...body } = diff;
  const previous = before?.diff.digest ?? commitmentIn(diff);
  if (digest !== (await sha256(previous + canonical(body))).slice(0, DIGEST_LENGTH))
    throw new WrongStep(step, "digest");
  if ((shown.get(step) ?? digest) !== digest) throw new WrongStep(step, "shown");
  const game = patched(before?.game ?? {}, diff);
  if (game?.version !== step) throw new WrongStep(step, "patch");
  return { diff, game };
}

function patched(before: unknown, { patch }: Diff): Game | null {
  try {
    return applyPatch(before, patch) as Game;
  } catch (error) {
    if (error instanceof PatchError) return null;
    throw error;
  }
}

/** The commitment of the first step, in the place of the digest before it. */
function commitmentIn({ patch }: Diff): string {
  const deck = patch.find(({ path }) => path === "/deck");
  return (deck?.op === "add" && (deck.value as Game["deck"]).commitment) || "";
}

/** Checks that tiles and ships came as the seed orders them, where it is known. */
async function checkOrder(course: readonly Checked[], tileset: TileSet): Promise<void> {
  const [first, last] = [course[0], course.at(-1)];
  if (!first || !last) throw new WrongStep(1, "order");
  const { seed, commitment } = last.game.deck;
  if (seed === null) return;
  const set = await sha256(canonical(tileset));
  if (commitment !== (await sha256(`${last.game.id}:${seed}:${set}`))) throw new WrongStep(1, "commitment");
  const bag = await shuffled(seed, "bag", bagOf(tileset));
  const ships = await shuffled(
    seed,
    "ships",
    tileset.ships.map(({ id }) => id),
  );
  if (!isEqual(first.game.display, ships.slice(0, DISPLAY_SIZE))) throw new WrongStep(1, "ships");
  for (const { diff, game } of course) {
    const drawn = diff.events.flatMap((event) =>
      event.type === "tile_drawn" || event.type === "tile_discarded" ? [event.tile] : [],
    );
    const revealed = diff.events.flatMap((event) => (event.type === "ship_revealed" ? [event.ship] : []));
    // Counted from what is left: a tile whose player resigned goes back, and is drawn again.
    if (!isEqual(drawn, lastOf(bag, bag.length - game.bag, drawn.length)))
      throw new WrongStep(diff.version, "tiles");
    if (!isEqual(revealed, lastOf(ships, ships.length - game.ship_pile, revealed.length)))
      throw new WrongStep(diff.version, "ships");
  }
}

/** All tiles in the order of their file, `count` times each, less one start tile. */
function bagOf({ tiles, start }: TileSet): string[] {
  return tiles.flatMap(({ id, count }) => Array.from({ length: count - (id === start ? 1 : 0) }, () => id));
}

/** The order that the seed gives: from the last item down to the second, each is swapped with one up to it. */
async function shuffled(seed: string, label: string, ordered: readonly string[]): Promise<string[]> {
  const items = [...ordered];
  for (let index = items.length - 1; index > 0; index--) {
    const digest = await sha256(`${seed}:${label}:${index}`);
    const other = Number.parseInt(digest.slice(0, 12), 16) % (index + 1);
    [items[index], items[other]] = [items[other] ?? "", items[index] ?? ""];
  }
  return items;
}

function lastOf(order: readonly string[], end: number, count: number): readonly string[] {
  return order.slice(end - count, end);
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

/** JSON as RFC 8785 has it: members in the order of their names, nothing between. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}

async function sha256(words: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(words));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

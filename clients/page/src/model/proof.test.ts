import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { Diff, Game, GameEvent } from "south-seas-client";
import { TILESET, change, game } from "../testing/games.ts";
import { type Verdict, checkLog } from "./proof.ts";

const SEED = "5".repeat(64);
const sha256 = (words: string): string => createHash("sha256").update(words).digest("hex");

/** JSON as RFC 8785 has it, for values without exotic names. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

const COMMITMENT = sha256(`g:${SEED}:${sha256(canonical(TILESET))}`);

/** Links the diffs by their digests. */
function chained(diffs: readonly Diff[]): Diff[] {
  let digest = COMMITMENT;
  return diffs.map((diff) => {
    const { digest: _, ...body } = diff;
    digest = sha256(digest + canonical(body)).slice(0, 32);
    return { ...body, digest } as Diff;
  });
}

/** A game of the small tile set: its three markets are drawn, then it ends, and the seed is revealed. */
function log(isOver = true): Diff[] {
  const deck = { commitment: COMMITMENT, seed: null, seed_chosen: false };
  // n("ships", 1, 2) of this seed is even or odd: the display says so.
  const first = Number.parseInt(sha256(`${SEED}:ships:1`).slice(0, 12), 16) % 2;
  const display = first === 1 ? ["any", "same"] : ["same", "any"];
  const start: Game = game({ deck, display, bag: 2 });
  const creation = Object.entries(start).map(
    ([name, value]) => ({ op: "add", path: `/${name}`, value }) as const,
  );
  const drawn: GameEvent = { type: "tile_drawn", tile: "market" };
  const diffs = [change(1, creation, [drawn])];
  for (const bag of [1, 0]) diffs.push(stepTo(diffs.length + 1, { bag }, [drawn]));
  if (isOver) diffs.push(stepTo(4, { status: "finished", deck: { ...deck, seed: SEED } }, []));
  return chained(diffs);
}

function stepTo(version: number, changes: Partial<Game>, events: GameEvent[]): Diff {
  const patch = Object.entries({ ...changes, version }).map(
    ([name, value]) => ({ op: "add", path: `/${name}`, value }) as const,
  );
  return change(version, patch, events);
}

async function verdict(diffs: readonly Diff[], shown: readonly Diff[] = []): Promise<Verdict> {
  async function* read() {
    yield* diffs;
  }
  const digests = new Map(shown.map(({ version, digest }) => [version, digest]));
  return checkLog(read(), TILESET, digests, () => undefined);
}

test("an untouched log is right; the seed is known when the game is over", async () => {
  const sound = { steps: 4, wrong: null, isSeedKnown: true, isSeedChosen: false };
  assert.deepEqual(await verdict(log(), log()), sound);
  assert.deepEqual(await verdict(log(false)), { ...sound, steps: 3, isSeedKnown: false });
});

test("one changed byte of one diff is found at its step", async () => {
  for (const step of [1, 2, 3, 4]) {
    const text = JSON.stringify(log()[step - 1]);
    const changed = text.replace("2026-01-01", "2026-01-02");
    assert.notEqual(changed, text);
    const diffs = log().with(step - 1, JSON.parse(changed) as Diff);
    assert.deepEqual((await verdict(diffs)).wrong, { step, fault: "digest" });
  }
});

test("a step that is left out, moved or put in is found", async () => {
  const [one, two, three, four] = log();
  assert.ok(one && two && three && four);
  assert.deepEqual((await verdict([one, three, four])).wrong, { step: 2, fault: "order" });
  assert.deepEqual((await verdict([one, three, two, four])).wrong, { step: 2, fault: "order" });
  assert.deepEqual((await verdict([])).wrong, { step: 1, fault: "order" });
});

test("a log with digests of its own that is not the one that was shown is found", async () => {
  const forged = chained(
    log().map((diff) => (diff.version === 3 ? { ...diff, at: "2026-01-01T00:00:01Z" } : diff)),
  );
  assert.equal((await verdict(forged)).wrong, null);
  assert.deepEqual((await verdict(forged, log())).wrong, { step: 3, fault: "shown" });
});

test("another seed, and tiles or ships that it does not give, are found", async () => {
  const altered = (version: number, alter: (diff: Diff) => Diff) =>
    verdict(chained(log().map((diff) => (diff.version === version ? alter(diff) : diff))));
  const seed = (diff: Diff): Diff => JSON.parse(JSON.stringify(diff).replace(SEED, "6".repeat(64))) as Diff;
  assert.deepEqual((await altered(4, seed)).wrong, { step: 1, fault: "commitment" });
  const tile = (diff: Diff): Diff => ({ ...diff, events: [{ type: "tile_drawn", tile: "start" }] });
  assert.deepEqual((await altered(2, tile)).wrong, { step: 2, fault: "tiles" });
  const ship = (diff: Diff): Diff => ({
    ...diff,
    events: [...diff.events, { type: "ship_revealed", ship: "none" }],
  });
  assert.deepEqual((await altered(3, ship)).wrong, { step: 3, fault: "ships" });
  const display = (diff: Diff): Diff => ({
    ...diff,
    patch: diff.patch.map((part) =>
      part.path === "/display" ? { ...part, value: ["any"] } : part,
    ) as Diff["patch"],
  });
  assert.deepEqual((await altered(1, display)).wrong, { step: 1, fault: "ships" });
  const gone = (diff: Diff): Diff => ({ ...diff, patch: [{ op: "remove", path: "/nothing" }] });
  assert.deepEqual((await altered(2, gone)).wrong, { step: 2, fault: "patch" });
});

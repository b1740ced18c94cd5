/** What somebody lacks to pay a ship (R6.3). */

import type { Ship, Wares } from "south-seas-client";

const KINDS = ["bananas", "shells", "fish"] as const;

export interface MissingWares {
  /** Wares of which it is certain that they are lacking. */
  readonly wares: Wares;
  /** How many more of kinds that may still be chosen. */
  readonly ofChosenKinds: number;
  /** How many more of any kind. */
  readonly any: number;
}

/** The fewest wares that are lacking; null where the ship can be paid. */
export function missingWares({ cost }: Ship, owned: Wares): MissingWares | null {
  const ways = assignments(cost.same).map((groups) => {
    const short: Record<(typeof KINDS)[number], number> = { bananas: 0, shells: 0, fish: 0 };
    let spare = 0;
    for (const kind of KINDS) {
      const difference = owned[kind] - cost[kind] - groups[kind];
      short[kind] = Math.max(0, -difference);
      spare += Math.max(0, difference);
    }
    const any = Math.max(0, cost.any - spare);
    return { short, any, total: sum(short) + any };
  });
  const fewest = Math.min(...ways.map(({ total }) => total));
  if (fewest === 0) return null;
  const best = ways.filter(({ total }) => total === fewest);
  const least = (of: (way: (typeof best)[number]) => number): number => Math.min(...best.map(of));
  const wares: Wares = {
    bananas: least(({ short }) => short.bananas),
    shells: least(({ short }) => short.shells),
    fish: least(({ short }) => short.fish),
  };
  const any = least((way) => way.any);
  return { wares, ofChosenKinds: fewest - sum(wares) - any, any };
}

function sum(wares: Wares): number {
  return wares.bananas + wares.shells + wares.fish;
}

/** Every way to give groups of identical wares a kind each, different groups different kinds. */
function assignments(groups: readonly number[]): Wares[] {
  const [size, ...rest] = groups;
  if (size === undefined) return [{ bananas: 0, shells: 0, fish: 0 }];
  return assignments(rest).flatMap((given) =>
    KINDS.filter((kind) => given[kind] === 0).map((kind) => ({ ...given, [kind]: size })),
  );
}

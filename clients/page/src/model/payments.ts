/** Paying a ship: what is chosen, what is still missing, and whether the ship may be paid so (R6.2, R6.3). */

import type { Wares } from "south-seas-client";
import type { Payment, ShipChoice } from "./choices.ts";

export const WARES = ["bananas", "shells", "fish"] as const;
export type Ware = (typeof WARES)[number];

/** How far a payment has come: wares are missing, it is one of the legal ones, or it can become none of them. */
export type Progress = "missing" | "complete" | "impossible";

export function total(wares: Wares): number {
  return wares.bananas + wares.shells + wares.fish;
}

/** How many wares the ship takes. */
export function needed({ payments }: ShipChoice): number {
  return payments[0] ? total(payments[0].wares) : 0;
}

/** What every way to pay the ship has in it. */
export function leastOf({ payments }: ShipChoice): Wares {
  return eachWare((ware) => Math.min(...payments.map(({ wares }) => wares[ware])));
}

/** The most of each ware that some way to pay the ship has in it. */
export function mostOf({ payments }: ShipChoice): Wares {
  return eachWare((ware) => Math.max(...payments.map(({ wares }) => wares[ware])));
}

/** The legal payment of exactly these wares; null where there is none. */
export function paymentOf({ payments }: ShipChoice, chosen: Wares): Payment | null {
  return payments.find(({ wares }) => WARES.every((ware) => wares[ware] === chosen[ware])) ?? null;
}

/**
 * What a payment starts with: the one that leaves the most even stock, where only one does; that serves most ships to come.
 * Else what every payment has in it.
 */
export function obviousPayment(choice: ShipChoice, held: Wares): Wares {
  const [first, second] = choice.payments
    .map(({ wares }) => ({ wares, unevenness: spread(eachWare((ware) => held[ware] - wares[ware])) }))
    .sort((one, other) => one.unevenness - other.unevenness);
  return first && first.unevenness !== second?.unevenness ? first.wares : leastOf(choice);
}

function spread({ bananas, shells, fish }: Wares): number {
  return bananas ** 2 + shells ** 2 + fish ** 2;
}

export function progressOf(choice: ShipChoice, chosen: Wares): Progress {
  if (paymentOf(choice, chosen)) return "complete";
  const leads = choice.payments.some(({ wares }) => WARES.every((ware) => wares[ware] >= chosen[ware]));
  return leads ? "missing" : "impossible";
}

/** One ware more or less, as far as the ship takes them. */
export function stepped(choice: ShipChoice, chosen: Wares, ware: Ware, step: number): Wares {
  const room = needed(choice) - total(chosen);
  const most = Math.min(mostOf(choice)[ware], chosen[ware] + room);
  const amount = Math.max(leastOf(choice)[ware], Math.min(chosen[ware] + step, most));
  return { ...chosen, [ware]: amount };
}

export function eachWare(amount: (ware: Ware) => number): Wares {
  return { bananas: amount("bananas"), shells: amount("shells"), fish: amount("fish") };
}

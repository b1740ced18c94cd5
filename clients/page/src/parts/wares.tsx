/** Wares and ships, as they are shown everywhere. */

import type { Ship, Wares } from "south-seas-client";
import type { JSX } from "preact";
import { text } from "../messages/index.ts";
import { WARES } from "../model/payments.ts";
import { shipInWords } from "../model/tileset.ts";
import { KindIcon, WareIcon } from "./icon.tsx";

interface WareCountsProps {
  readonly wares: Wares;
  /** How many of them are new. */
  readonly gained?: Wares | undefined;
}

/** How many of each ware: all three kinds, also those with none. */
export function WareCounts({ wares, gained }: WareCountsProps): JSX.Element {
  return (
    <span class="wares" role="img" aria-label={text.stock(wares)}>
      {WARES.map((ware) => (
        <span key={ware} class={wares[ware] || gained?.[ware] ? "count" : "count none"}>
          <WareIcon ware={ware} />
          <span key={wares[ware]} class="number">
            {wares[ware]}
          </span>
          {gained && <Gained amount={gained[ware]} />}
        </span>
      ))}
    </span>
  );
}

/** What is new of an amount, beside it; the words for it are elsewhere. */
export function Gained({ amount }: { amount: number }): JSX.Element | null {
  return amount > 0 ? (
    <span class="gained" aria-hidden="true">
      +{amount}
    </span>
  ) : null;
}

interface AmountsProps {
  readonly wares: Wares;
  readonly points?: number;
  /** Whether a sign says that they are gained, or paid. */
  readonly isSigned?: boolean;
}

/** Wares and points, each with its picture. */
export function Amounts({ wares, points = 0, isSigned = true }: AmountsProps): JSX.Element {
  const shown = isSigned ? signed : String;
  return (
    <>
      {points !== 0 && (
        <span class="count">
          <span class="number">{shown(points)}</span>
          <ShipIcon />
        </span>
      )}
      {WARES.map(
        (ware) =>
          wares[ware] !== 0 && (
            <span key={ware} class="count">
              <span class="number">{shown(wares[ware])}</span>
              <WareIcon ware={ware} />
            </span>
          ),
      )}
    </>
  );
}

function signed(amount: number): string {
  return amount > 0 ? `+${amount}` : `\u2212${-amount}`;
}

/** A payment or a gain: a picture for each ware. */
export function WarePile({ wares }: { wares: Wares }): JSX.Element {
  return (
    <span class="pile" role="img" aria-label={text.wares(wares)}>
      {WARES.flatMap((ware) =>
        Array.from({ length: wares[ware] }, (_, index) => <WareIcon key={ware + index} ware={ware} />),
      )}
    </span>
  );
}

/** What a ship asks for, as pictures (R6.3). */
export function Cost({ ship }: { ship: Ship }): JSX.Element {
  const { any, same, ...named } = ship.cost;
  return (
    <span class="cost" aria-hidden="true">
      {WARES.flatMap((ware) =>
        Array.from({ length: named[ware] }, (_, index) => <WareIcon key={ware + index} ware={ware} />),
      )}
      {any > 0 && (
        <span class="count">
          <span class="number">{any}</span>
          <WareIcon ware="any" />
        </span>
      )}
      {same.flatMap((count, group) =>
        Array.from({ length: count }, (_, index) => (
          <KindIcon key={`${group}.${index}`} letter={"ABC"[group] ?? "?"} />
        )),
      )}
    </span>
  );
}

export function ShipIcon(): JSX.Element {
  return (
    <svg class="ship-icon" viewBox="0 0 40 40" aria-hidden="true">
      <path class="sail" d="M19 3v21H6C11 19 16 12 19 3ZM22 7c5 5 9 11 11 17H22Z" />
      <path class="hull" d="M3 27h34c-2 6-6 10-11 10H14C9 37 5 33 3 27Z" />
    </svg>
  );
}

/** A ship with its points and its cost. */
export function ShipFace({ ship }: { ship: Ship }): JSX.Element {
  return (
    <>
      <span class="ship-points" aria-hidden="true">
        <ShipIcon />
        <b>{ship.points}</b>
      </span>
      <Cost ship={ship} />
      <span class="unseen">{shipInWords(ship)}</span>
    </>
  );
}

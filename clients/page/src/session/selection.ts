/** What a player is about to do: chosen, not yet confirmed. */

import type { Move, Wares } from "south-seas-client";
import { type Cell, keyOf } from "../model/cells.ts";
import { type Choices, NO_WARES, fittingRotation, nextRotation } from "../model/choices.ts";
import { obviousPayment, paymentOf } from "../model/payments.ts";

export interface Selection {
  /** Where the tile would lie. */
  readonly cell: Cell | null;
  /** How the tile is turned, in the hand or there. */
  readonly rotation: number;
  /** Key of a `SpotChoice`. */
  readonly spot: string | null;
  readonly ship: string | null;
  /** What the ship would be paid with, so far. */
  readonly wares: Wares;
}

export const NOTHING_SELECTED: Selection = {
  cell: null,
  rotation: 0,
  spot: null,
  ship: null,
  wares: NO_WARES,
};

/** Chooses a ship, with the wares that it is obviously paid with. */
export function withShip(choices: Choices, ship: string, held: Wares): Selection {
  const choice = choices.ships.find((one) => one.ship === ship);
  return { ...NOTHING_SELECTED, ship, wares: choice ? obviousPayment(choice, held) : NO_WARES };
}

/** Lays the tile on a cell, turned so that it fits; on the cell where it lies already it turns. */
export function withCell(selection: Selection, choices: Choices, cell: Cell): Selection {
  const choice = choices.cells.get(keyOf(cell));
  if (!choice) return selection;
  const again = selection.cell !== null && keyOf(selection.cell) === keyOf(cell);
  const rotation = again
    ? nextRotation(choice, selection.rotation)
    : fittingRotation(choice, selection.rotation);
  return { ...selection, cell: choice.cell, rotation };
}

/** Turns the tile: in the hand by a quarter, on the board to the next way in which it fits. */
export function rotated(selection: Selection, choices: Choices, steps = 1): Selection {
  const choice = selection.cell && choices.cells.get(keyOf(selection.cell));
  if (!choice) return { ...selection, rotation: (selection.rotation + steps + 4) % 4 };
  let rotation = selection.rotation;
  // Three steps on are one back.
  const ways = choice.rotations.size;
  for (let step = 0; step < (steps < 0 ? ways - 1 : 1); step++) rotation = nextRotation(choice, rotation);
  return { ...selection, rotation };
}

/** What of a selection can still be chosen; where nothing can, the tile stays turned. */
export function stillChosen(selection: Selection, { cells, spots, ships }: Choices): Selection {
  const { cell, rotation, spot, ship } = selection;
  const isThere =
    (cell && cells.get(keyOf(cell))?.rotations.has(rotation)) ||
    spots.some(({ key }) => key === spot) ||
    ships.some((choice) => choice.ship === ship);
  return isThere ? selection : { ...NOTHING_SELECTED, rotation };
}

/** Chooses what there is, where that is one move alone. */
export function onlyChoice({ cells, spots, ships }: Choices): Selection {
  const [place] = cells.values();
  const [rotation = 0] = place?.rotations.keys() ?? [];
  const payment = ships[0]?.payments[0];
  return {
    cell: place?.cell ?? null,
    rotation,
    spot: spots[0]?.key ?? null,
    ship: ships[0]?.ship ?? null,
    wares: payment?.wares ?? NO_WARES,
  };
}

/** The move that the selection stands for; null where nothing is chosen. */
export function selectedMove(selection: Selection, choices: Choices): Move | null {
  if (selection.cell)
    return choices.cells.get(keyOf(selection.cell))?.rotations.get(selection.rotation) ?? null;
  if (selection.spot) return choices.spots.find((spot) => spot.key === selection.spot)?.move ?? null;
  if (selection.ship) {
    const choice = choices.ships.find(({ ship }) => ship === selection.ship);
    return (choice && paymentOf(choice, selection.wares)?.move) ?? null;
  }
  return null;
}

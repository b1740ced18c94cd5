/** What a player does at the table, whatever it is done with: finger, mouse or keys. */

import type { Wares } from "south-seas-client";
import type { Cell } from "../model/cells.ts";
import { NOTHING_SELECTED, turned, withCell, withShip } from "./selection.ts";
import type { Table } from "./table.ts";

export const choose = {
  /** Lays the tile on trial; on the same cell again it turns. */
  cell(table: Table, cell: Cell): void {
    table.select(withCell(table.selection, table.choices, cell));
  },
  spot(table: Table, key: string): void {
    table.select({ ...NOTHING_SELECTED, spot: key });
  },
  ship(table: Table, ship: string): void {
    table.select(withShip(table.choices, ship));
  },
  wares(table: Table, wares: Wares): void {
    table.select({ wares });
  },
};

export function turn(table: Table, steps = 1): void {
  if (table.choices.cells.size > 0) table.select(turned(table.selection, table.choices, steps));
}

/** Does what is chosen. */
export function confirm(table: Table): void {
  const move = table.selectedMove;
  if (move) void table.act(move);
}

export function pass(table: Table): void {
  if (table.choices.pass) void table.act(table.choices.pass);
}

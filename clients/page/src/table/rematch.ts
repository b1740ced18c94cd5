/** Another game of the same players. */

import { keepCreated, keepTable } from "../model/memory.ts";
import { fragmentOf } from "../model/route.ts";
import { service } from "../service.ts";
import type { Table } from "./table.ts";

/** Sets it up, and goes there. */
export function playAgain(table: Table): void {
  const { owner, private: isPrivate } = table.keys;
  void table.doing(async () => {
    const created = await service.rematch(table.id, {}, { token: owner });
    keepCreated(created, isPrivate);
    location.hash = fragmentOf(created.game.id);
  });
}

/** Goes to the one that somebody has set up: who joined this table has the same seat there, by the same token. */
export function goToNext(table: Table): void {
  const next = table.game?.next_game;
  if (!next) return;
  const { owner, seats, private: isPrivate } = table.keys;
  if (owner === null) keepTable(next, { seats, private: isPrivate });
  location.hash = fragmentOf(next);
}

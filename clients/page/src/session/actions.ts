/** What a player does in a game, by touch, mouse or keyboard. */

import type { Wares } from "south-seas-client";
import type { Cell } from "../model/cells.ts";
import { NO_WARES } from "../model/choices.ts";
import { NOTHING_SELECTED, rotated, withCell, withShip } from "./selection.ts";
import type { GameSession } from "./game_session.ts";

export const choose = {
  /** Lays the tile on trial; on the same cell again it turns. */
  cell(session: GameSession, cell: Cell): void {
    session.select(withCell(session.selection, session.choices, cell));
  },
  spot(session: GameSession, key: string): void {
    session.select({ ...NOTHING_SELECTED, spot: key });
  },
  ship(session: GameSession, ship: string): void {
    const held = session.game?.players[session.decider ?? 0]?.wares ?? NO_WARES;
    session.select(withShip(session.choices, ship, held));
  },
  wares(session: GameSession, wares: Wares): void {
    session.select({ wares });
  },
};

export function rotate(session: GameSession, steps = 1): void {
  if (session.canTurn) session.select(rotated(session.selection, session.choices, steps));
}

/** Does what is chosen. */
export function confirm(session: GameSession): void {
  const move = session.selectedMove;
  if (move) void session.act(move);
}

export function pass(session: GameSession): void {
  session.pass();
}

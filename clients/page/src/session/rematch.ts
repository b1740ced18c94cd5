/** Another game of the same players. */

import { saveCreatedGame, saveGame } from "../model/storage.ts";
import { fragmentOf } from "../model/route.ts";
import { service } from "../service.ts";
import type { GameSession } from "./game_session.ts";

/** Creates the rematch, and opens it. */
export function playAgain(session: GameSession): void {
  const { owner, private: isPrivate } = session.credentials;
  void session.runOperation(async () => {
    const created = await service.rematch(session.id, {}, { token: owner });
    saveCreatedGame(created, isPrivate);
    location.hash = fragmentOf(created.game.id);
  });
}

/** Opens the rematch that somebody has created: who joined this game has the same seat there, by the same token. */
export function goToNext(session: GameSession): void {
  const next = session.game?.next_game;
  if (!next) return;
  const { owner, seats, private: isPrivate } = session.credentials;
  if (owner === null) saveGame(next, { seats, private: isPrivate });
  location.hash = fragmentOf(next);
}

/** Another game of the same players, in which the tokens of the game before are valid. */

import { ProblemError } from "south-seas-client";
import { goTo, pathOf } from "../model/route.ts";
import { saveGame, type StoredGame } from "../model/storage.ts";
import { service } from "../service.ts";
import type { GameSession } from "./game_session.ts";

/** Returns the token with which this browser may create the rematch, if it has one. */
export function rematchToken({ owner, seats }: StoredGame): string | null {
  return owner ?? Object.values(seats)[0] ?? null;
}

/** Creates the rematch, or finds that of a player who was faster, and opens it. */
export function playAgain(session: GameSession): void {
  void session.runOperation(async () => {
    openRematch(session, await createOrFind(session));
  });
}

/** Opens the rematch of a game. */
export function openRematch(session: GameSession, next: string): void {
  const { owner, spectator, seats, private: isPrivate } = session.credentials;
  saveGame(next, { owner, spectator, seats, private: isPrivate });
  goTo(pathOf(next));
}

async function createOrFind({ id, credentials }: GameSession): Promise<string> {
  try {
    return (await service.rematch(id, {}, { token: rematchToken(credentials) })).game.id;
  } catch (error) {
    const next = error instanceof ProblemError ? error.problem.next_game : null;
    if (!next) throw error;
    return next;
  }
}

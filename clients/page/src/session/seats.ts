/** Giving a seat up, coming back to it, and emptying one before the start; for the owner also the end of the game. */

import { LOBBY, goTo } from "../model/route.ts";
import { removeGame } from "../model/storage.ts";
import { service } from "../service.ts";
import type { GameSession } from "./game_session.ts";

export function resign(session: GameSession, seat: number): void {
  session.command(seat, (options) => service.resign(session.id, { seat }, options));
}

/** Plays a seat again that a bot stood in for. */
export function returnToSeat(session: GameSession, seat: number): void {
  session.command(seat, (options) => service.returnToSeat(session.id, { seat }, options));
}

/** Opens a seat again that somebody has joined: for the owner, before the start. */
export function removePlayer(session: GameSession, seat: number): void {
  const { id, credentials } = session;
  void session.runOperation(() => service.removePlayer(id, seat, { token: credentials.owner }));
}

/** Gives a seat back that this player has joined, before the start, and goes to the lobby. */
export function leave(session: GameSession, seat: string): void {
  const { id, credentials } = session;
  void session.runOperation(async () => {
    await service.removePlayer(id, Number(seat), { token: credentials.seats[seat] ?? null });
    removeGame(id);
    goTo(LOBBY);
  });
}

export function abort(session: GameSession): void {
  const { id, credentials } = session;
  void session.runOperation(() => service.abortGame(id, { token: credentials.owner }));
}

/** The games that the first screen lists. */

import { type GameSummary, type GamesQuery, ProblemError } from "south-seas-client";
import { type StoredGame, removeGame } from "../model/storage.ts";
import { service } from "../service.ts";

const MAX_MINE = 8;
const MAX_LISTED = 6;

export interface ListedGame {
  readonly game: GameSummary;
  readonly isMyTurn: boolean;
}

export interface GameLists {
  readonly mine: readonly ListedGame[];
  readonly waiting: readonly ListedGame[];
  readonly active: readonly ListedGame[];
  readonly finished: readonly ListedGame[];
}

export async function readGameLists(known: readonly StoredGame[]): Promise<GameLists> {
  const seated = known.filter((session) => Object.keys(session.seats).length > 0).slice(0, MAX_MINE);
  const [mine, waiting, active, finished] = await Promise.all([
    Promise.all(seated.map(myGame)),
    publicGames("waiting", seated),
    publicGames("active", seated),
    publicGames("finished", seated),
  ]);
  return { mine: mine.filter((listed) => listed !== null), waiting, active, finished };
}

/** Loads a game where this browser has a seat; null where it is gone. */
async function myGame(session: StoredGame): Promise<ListedGame | null> {
  const token = session.private ? (Object.values(session.seats)[0] ?? null) : null;
  try {
    const game = await service.game(session.id, { token });
    const decider = game.turn?.decider;
    return { game, isMyTurn: decider !== undefined && session.seats[decider] !== undefined };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== "not_found") throw error;
    removeGame(session.id);
    return null;
  }
}

async function publicGames(
  status: NonNullable<GamesQuery["status"]>,
  except: readonly StoredGame[],
): Promise<ListedGame[]> {
  const { games } = await service.games({ status, limit: MAX_LISTED + except.length });
  return games
    .filter((game) => except.every((session) => session.id !== game.id))
    .slice(0, MAX_LISTED)
    .map((game) => ({ game, isMyTurn: false }));
}

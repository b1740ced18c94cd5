/** The tables that the first screen lists. */

import { type GameSummary, type GamesQuery, ProblemError } from "south-seas-client";
import { type KnownTable, forgetTable } from "../model/memory.ts";
import { service } from "../service.ts";

const MOST_MINE = 8;
const MOST = 6;

export interface Listed {
  readonly game: GameSummary;
  readonly isMyTurn: boolean;
}

export interface Tables {
  readonly mine: readonly Listed[];
  readonly waiting: readonly Listed[];
  readonly active: readonly Listed[];
  readonly finished: readonly Listed[];
}

export async function readTables(known: readonly KnownTable[]): Promise<Tables> {
  const seated = known.filter((table) => Object.keys(table.seats).length > 0).slice(0, MOST_MINE);
  const [mine, waiting, active, finished] = await Promise.all([
    Promise.all(seated.map(mineAt)),
    publicGames("waiting", seated),
    publicGames("active", seated),
    publicGames("finished", seated),
  ]);
  return { mine: mine.filter((listed) => listed !== null), waiting, active, finished };
}

/** A table where this browser has a seat; null where it is gone. */
async function mineAt(table: KnownTable): Promise<Listed | null> {
  const token = table.private ? (Object.values(table.seats)[0] ?? null) : null;
  try {
    const game = await service.game(table.id, { token });
    const decider = game.turn?.decider;
    return { game, isMyTurn: decider !== undefined && table.seats[decider] !== undefined };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== "not_found") throw error;
    forgetTable(table.id);
    return null;
  }
}

async function publicGames(
  status: NonNullable<GamesQuery["status"]>,
  except: readonly KnownTable[],
): Promise<Listed[]> {
  const { games } = await service.games({ status, limit: MOST + except.length });
  return games
    .filter((game) => except.every((table) => table.id !== game.id))
    .slice(0, MOST)
    .map((game) => ({ game, isMyTurn: false }));
}

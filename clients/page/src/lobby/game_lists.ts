/** The games of others that the first screen lists. */

import type { GameSummary, GamesQuery } from "south-seas-client";
import { storedGames } from "../model/storage.ts";
import { service } from "../service.ts";
import { isSeated } from "../session/own_games.ts";

const MAX_LISTED = 6;

export interface GameLists {
  readonly waiting: readonly GameSummary[];
  readonly active: readonly GameSummary[];
  readonly finished: readonly GameSummary[];
}

export async function readGameLists(): Promise<GameLists> {
  const [waiting, active, finished] = await Promise.all([
    publicGames("waiting"),
    publicGames("active"),
    publicGames("finished"),
  ]);
  return { waiting, active, finished };
}

async function publicGames(status: NonNullable<GamesQuery["status"]>): Promise<readonly GameSummary[]> {
  const mine = new Set(
    storedGames()
      .filter(isSeated)
      .map(({ id }) => id),
  );
  const { games } = await service.games({ status, limit: Math.min(100, MAX_LISTED + mine.size) });
  return games.filter((game) => !mine.has(game.id)).slice(0, MAX_LISTED);
}

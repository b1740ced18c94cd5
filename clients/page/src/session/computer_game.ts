/** A game of one person against the computer, which nobody else has anything of. */

import { text } from "../messages/index.ts";
import { LESSON } from "../model/lesson.ts";
import { goTo, pathOf } from "../model/route.ts";
import { preferences, saveCreatedGame } from "../model/storage.ts";
import { service } from "../service.ts";

export function playComputer(bot: string): Promise<void> {
  return openGame({ bot, seed: null }, false);
}

/** Opens a first game that teaches. */
export function playLesson(): Promise<void> {
  return openGame(LESSON, true);
}

async function openGame(
  { bot, seed }: { bot: string; seed: string | null },
  isLesson: boolean,
): Promise<void> {
  const name = preferences().name.trim() || text.lobby.defaultName;
  const created = await service.createGame({
    players: [{ name }, { bot, name: text.lobby.level }],
    first_seat: 0,
    visibility: "private",
    seed,
  });
  saveCreatedGame(created, true, isLesson);
  goTo(pathOf(created.game.id));
}

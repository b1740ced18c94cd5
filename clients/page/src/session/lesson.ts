/** What a lesson needs to know of a game on the screen. */

import type { LessonState } from "../model/lesson.ts";
import type { GameSession } from "./game_session.ts";

/** Null where nothing is taught, or nothing of the game is known yet. */
export function lessonState(session: GameSession): LessonState | null {
  const { latest: game, tileset, credentials, selection } = session;
  const [seat] = Object.keys(credentials.seats);
  if (!credentials.lesson || !game || !tileset || seat === undefined) return null;
  return {
    game,
    steps: session.shownSteps,
    tileset,
    seat: Number(seat),
    moves: session.appraisedMoves,
    chosen: selection,
    chosenMove: session.selectedMove,
    told: credentials.lesson,
  };
}

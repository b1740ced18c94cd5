/** Who is away, and what was done for them. */

import type { Diff, Game, Player } from "south-seas-client";

/** Whether the computer plays for a person. */
export function isStoodIn(player: Player): boolean {
  return player.kind === "human" && player.bot !== null && !player.resigned;
}

/** Whether the computer plays for all people: then the game waits for one of them. */
export function isResting(game: Game): boolean {
  const people = game.players.filter(({ kind, resigned }) => kind === "human" && !resigned);
  return game.status === "active" && people.length > 0 && people.every(isStoodIn);
}

/** The turns in which somebody's decisions were not their own. */
export interface Absence {
  readonly seat: number;
  readonly by: "bot" | "clock";
  readonly turns: readonly number[];
}

/** All absences of people in a course of a game, by seat. */
export function absencesIn(course: readonly { readonly game: Game; readonly diff: Diff }[]): Absence[] {
  const found = new Map<string, { seat: number; by: "bot" | "clock"; turns: number[] }>();
  let turn = 0;
  for (const { game, diff } of course) {
    const { seat, by, move } = diff;
    if (
      seat !== null &&
      move !== null &&
      (by === "bot" || by === "clock") &&
      game.players[seat]?.kind === "human"
    ) {
      const absence = found.get(`${seat}.${by}`) ?? { seat, by, turns: [] };
      if (!absence.turns.includes(turn)) absence.turns.push(turn);
      found.set(`${seat}.${by}`, absence);
    }
    turn = game.turn?.number ?? turn;
  }
  return [...found.values()].sort((one, other) => one.seat - other.seat);
}

/** Plays the lesson over the API as a player who does what it suggests, and finds seeds with which it teaches much. */

import { type Diff, type Game, SouthSeas, applyPatch } from "south-seas-client";
import { choicesIn } from "../model/choices.ts";
import { type Hint, LESSON, NOTHING_CHOSEN, hintFor } from "../model/lesson.ts";
import { NOTHING_SELECTED, withCell } from "../session/selection.ts";

/** What everybody has seen who does what is suggested. */
const NEEDED = [
  "place",
  "bridge",
  "island",
  "sea",
  "turn",
  "market",
  "home",
  "letters",
  "finished bridge",
  "computer",
  "ships",
  "deliver",
  "over",
];
const MAX_DECISIONS = 60;
/** A turn costs a learner as much time as some decisions. */
const TURN = 3;
const MISSING = 100;

/** What a player has been through. */
export interface LessonRun {
  readonly seed: string;
  readonly bot: string;
  readonly decisions: number;
  readonly points: number;
  /** Of the computer. */
  readonly others: number;
  /** The turn of the game in which each topic came up. */
  readonly told: Readonly<Record<string, number>>;
  readonly missing: readonly string[];
}

export async function runLesson(url: string, { seed, bot }: typeof LESSON = LESSON): Promise<LessonRun> {
  const service = new SouthSeas({ url });
  const players = [{ name: "Ana" }, { name: "Computer", bot }];
  const { game: created, seats } = await service.createGame({ players, first_seat: 0, seed });
  const options = { token: seats[0]?.token ?? null };
  const tileset = await service.tileset(created.tileset);
  const steps: { game: Game; diff: Diff }[] = [];
  let game = {} as Game;
  const add = (diff: Diff): void => {
    game = applyPatch(game, diff.patch) as Game;
    steps.push({ game, diff });
  };
  for await (const diff of service.log(created.id, 0, options)) add(diff);
  const told: Record<string, number> = {};
  let hint: Hint | null = null;
  let decisions = 0;
  for (; decisions < MAX_DECISIONS; decisions++) {
    const legal = await service.legalMoves(created.id, { effects: true }, options);
    const { moves } = legal;
    const tell = (chosen: typeof NOTHING_CHOSEN): Hint => {
      const state = {
        game,
        steps,
        tileset,
        seat: 0,
        moves,
        chosen,
        chosenMove: null,
        told: Object.keys(told),
      };
      const said = hintFor(state);
      told[said.topic] ??= game.turn?.number ?? 0;
      return said;
    };
    hint = tell(NOTHING_CHOSEN);
    const action = hint.move?.action;
    if (action?.type === "place_tile")
      tell(withCell(NOTHING_SELECTED, choicesIn(legal, null), { x: action.x, y: action.y }));
    if (!hint.move) break;
    const { diffs } = await service.act(created.id, { move: hint.move.id, seat: 0 }, options);
    diffs.forEach(add);
  }
  const missing = NEEDED.filter((topic) => !(topic in told));
  const [points = 0, others = 0] = game.players.map((player) => player.points);
  return { seed, bot, decisions, points, others, told, missing };
}

/** The run that misses least, and then takes the least time, with no computer that is far ahead. */
export async function searchSeeds(url: string, count: number): Promise<LessonRun | null> {
  let best: LessonRun | null = null;
  for (let number = 1; number <= count; number++) {
    const run = await runLesson(url, { ...LESSON, seed: `lesson-${number}` });
    if (best === null || costOf(run) < costOf(best)) best = run;
  }
  return best;
}

function costOf({ missing, decisions, told, points, others }: LessonRun): number {
  return MISSING * missing.length + decisions + TURN * (told["over"] ?? 0) + Math.max(0, others - points);
}

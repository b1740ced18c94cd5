/**
 * A first game that teaches: what to say to its player now, and which move to suggest. All of it follows from what has
 * happened so far, so that the player may do otherwise, and other tiles or another opponent do no harm.
 */

import type { Diff, Game, GameEvent, Move, TileSet } from "south-seas-client";
import { text } from "../messages/index.ts";
import { advisedMove } from "./advice.ts";
import { type Cell, sameCell } from "./cells.ts";
import { sentences } from "./event_sentences.ts";
import { missingWares } from "./missing_wares.ts";
import { total } from "./payments.ts";
import { costInWords, shipOf } from "./tileset.ts";

/** With this seed the player who does what is suggested sees all of it soon: `node scripts/lesson.mjs` finds another. */
export const LESSON: { readonly seed: string; readonly bot: string } = { seed: "lesson-4", bot: "random" };

/** After this turn of the game, of both players, the lesson ends, whatever has been seen of it. */
const LAST_TURN = 14;

/** What a hint speaks of, to be marked on the screen. */
export type About =
  "cells" | "spots" | "ships" | "wares" | "newest" | "turn" | "confirm" | "pass" | "nothing";

export interface Hint {
  /** What it explains. */
  readonly topic: string;
  readonly about: About;
  /** The move that it suggests; null for none. */
  readonly move: Move | null;
  /** The ship that it speaks of; null for none. */
  readonly ship: string | null;
  readonly words: string;
}

/** What the player has chosen, and not confirmed yet. */
interface Chosen {
  readonly cell: Cell | null;
  readonly rotation: number;
  readonly spot: string | null;
  readonly ship: string | null;
}

export const NOTHING_CHOSEN: Chosen = { cell: null, rotation: 0, spot: null, ship: null };

export interface LessonState {
  readonly game: Game;
  /** What led to it, from the creation on. */
  readonly steps: readonly { readonly game: Game; readonly diff: Diff }[];
  readonly tileset: TileSet;
  /** The player's. */
  readonly seat: number;
  /** What the player may do, with its effects; empty while it is not known. */
  readonly moves: readonly Move[];
  readonly chosen: Chosen;
  /** What is chosen, as a move; null while it is none yet. */
  readonly chosenMove: Move | null;
  /** Topics that need not be explained again. */
  readonly told: readonly string[];
}

/** The hint for now: of the step that is due. */
export function hintFor(state: LessonState): Hint {
  const { game, seat, moves } = state;
  if (isOver(state)) return last(state);
  const { turn } = game;
  if (turn?.decider !== seat) return hint("theirs", "newest", text.lesson.theirs);
  const move = advisedMove({ ...state, known: new Set(state.told) });
  if (moves.length === 0 || !move) return hint("due", "nothing", due(turn.phase));
  switch (turn.phase) {
    case "place_tile":
      return placing(state, move);
    case "islander":
      return sending(state, move);
    case "deliver":
      return delivering(state, move);
    default:
      return hint("take", "ships", text.actionBar.takeShip, move);
  }
}

/**
 * The topics that are explained once the player acts: what was said before they chose, and after; null once all is said.
 */
export function toldAfter(state: LessonState): string[] | null {
  if (isOver(state)) return null;
  const { told, chosen } = state;
  const before = hintFor({ ...state, chosen: NOTHING_CHOSEN, chosenMove: null });
  const turned = chosen.cell && chosen.rotation !== 0 ? ["turn"] : [];
  return [...new Set([...told, ...turned, before.topic, hintFor(state).topic])];
}

/** What there is to do, while it is not known how. */
function due(phase: string): string {
  const { placeTile, islander, deliver, takeShip } = text.actionBar;
  return { place_tile: placeTile, islander, deliver, take_ship: takeShip }[phase] ?? "";
}

function hint(topic: string, about: About, words: string, move: Move | null = null): Hint {
  const { action } = move ?? {};
  const ship = action?.type === "deliver" || action?.type === "take_ship" ? action.ship : null;
  return { topic, about, move, ship, words };
}

function isNew({ told }: LessonState, topic: string): boolean {
  return !told.includes(topic);
}

/** R3: the tile, how it is turned, and where it fits. */
function placing(state: LessonState, move: Move): Hint {
  const { cell, rotation } = state.chosen;
  const { action } = move;
  if (cell && action.type === "place_tile" && sameCell(cell, action) && rotation !== action.rotation)
    return hint(
      "turn",
      "turn",
      text.lesson.turn(turnsTo(state, action.rotation), text.actionBar.rotate),
      move,
    );
  if (cell) return hint("confirm", "confirm", text.lesson.confirm(text.actionBar.place), move);
  if (isNew(state, "place")) return hint("place", "cells", text.lesson.place, move);
  const said = news(state, move);
  return said ? { ...said, words: `${said.words} ${text.lesson.now}` } : nextTile(state, move);
}

/** How often the chosen tile is to be turned, each time to the next way in which it fits (R3.4). */
function turnsTo({ moves, chosen }: LessonState, rotation: number): number {
  const fitting = moves.flatMap(({ action }) =>
    action.type === "place_tile" && sameCell(action, chosen.cell) ? [action.rotation] : [],
  );
  const steps = (rotation - chosen.rotation + 4) % 4;
  return fitting.filter((one) => (one - chosen.rotation + 4) % 4 <= steps && one !== chosen.rotation).length;
}

function nextTile({ seat }: LessonState, move: Move): Hint {
  const [finished] = evaluations([...(move.effects ?? []), ...(move.if_passed ?? [])], seat);
  return finished
    ? hint("finishes", "cells", text.lesson.finishes[workOf(finished)](text.wares(finished.wares)), move)
    : hint("again", "cells", text.lesson.again, move);
}

/** What has happened and has not been explained yet, the first of it first; the suggestion is there all the same. */
function news(state: LessonState, move: Move): Hint | null {
  const { steps, seat, game, tileset } = state;
  for (const { diff } of lasting(steps))
    for (const event of evaluations(diff.events, seat)) {
      const work = workOf(event);
      // R5.5, R5.6 and R5.9.
      if (isNew(state, `finished ${work}`))
        return hint(`finished ${work}`, "wares", text.lesson.finished[work](text.wares(event.wares)), move);
    }
  // R4.2.
  const theirs = steps.slice(steps.findLastIndex(({ diff }) => diff.seat === seat) + 1);
  if (isNew(state, "computer") && theirs.some(({ diff }) => diff.by === "bot")) {
    // There is nothing to learn from a pass.
    const said = theirs
      .flatMap(({ diff, game }) => sentences({ ...diff, move: null }, game, tileset))
      .join(" ");
    return hint("computer", "newest", text.lesson.computer(said), move);
  }
  // R6.1 to R6.3.
  const held = game.players[seat]?.wares;
  if (!held || total(held) === 0) return null;
  if (!isNew(state, "ships")) return letters(state, move);
  const [nearest] = game.display
    .flatMap((id) => shipOf(tileset, id) ?? [])
    .map((ship) => ({ ship, lacking: missingWares(ship, held) }))
    .sort((one, other) => lackOf(one.lacking) - lackOf(other.lacking) || other.ship.points - one.ship.points);
  if (!nearest) return null;
  const { ship, lacking } = nearest;
  const words = lacking
    ? text.ship.lacking(lacking.wares, lacking.ofChosenKinds, lacking.any)
    : text.ship.payable;
  const said = text.lesson.ships(text.points(ship.points), costInWords(ship));
  return { ...hint("ships", "ships", `${said} ${words}`, move), ship: ship.id };
}

/** The letters on ships (R6.3). */
function letters({ game, tileset, told }: LessonState, move: Move): Hint | null {
  const ships = game.display.flatMap((id) => shipOf(tileset, id) ?? []);
  const ship =
    ships.find(({ cost }) => cost.same.length > 1) ?? ships.find(({ cost }) => cost.same.length > 0);
  if (!ship || told.includes("letters")) return null;
  return { ...hint("letters", "ships", text.lesson.letters(costInWords(ship)), move), ship: ship.id };
}

function lackOf(lacking: ReturnType<typeof missingWares>): number {
  return lacking ? total(lacking.wares) + lacking.ofChosenKinds + lacking.any : 0;
}

/** R4: an islander's work, or that all may stay where they are. */
function sending(state: LessonState, move: Move): Hint {
  const kind = move.feature?.kind ?? "";
  const canSend = state.moves.some(({ action }) => action.type === "place_islander");
  if (!canSend) {
    // R4.4.
    const isHome = isNew(state, "home") && state.game.players[state.seat]?.supply === 0;
    const { home, leave } = text.lesson;
    return hint(isHome ? "home" : "leave", "pass", (isHome ? home : leave)(text.actionBar.leaveThem), move);
  }
  if (move.action.type !== "place_islander")
    return hint("keep", "pass", text.lesson.keep(text.actionBar.noIslander), move);
  const { segment } = move.action;
  // R4.3 and R5.6.
  const isFinished = move.effects?.some(
    (event) =>
      event.type === "islander_returned" &&
      event.segment === segment &&
      sameCell(event, state.game.turn?.placed ?? null),
  );
  const send = isFinished ? text.lesson.sendOnce : text.lesson.send;
  if (state.chosen.spot !== null) return hint("send", "confirm", send(text.actionBar.send), move);
  if (!isNew(state, kind)) return hint("another", "spots", text.lesson.another, move);
  const work = [text.lesson.works[kind] ?? "", ...(isFinished ? [text.lesson.already] : [])].join(" ");
  const isFirst = Object.keys(text.lesson.works).every((one) => isNew(state, one));
  return hint(kind, "spots", isFirst ? `${text.lesson.first} ${work}` : work, move);
}

/** R6: the ship that brings most, and what is paid. */
function delivering(state: LessonState, move: Move): Hint {
  const { chosen, chosenMove, moves, tileset } = state;
  if (chosenMove) return hint("load", "confirm", text.lesson.load(text.actionBar.deliverGo), chosenMove);
  const [paid] = moves.flatMap(({ action }) =>
    action.type === "deliver" && action.ship === chosen.ship && action.wares ? [action.wares] : [],
  );
  if (paid) return { ...hint("pay", "nothing", text.lesson.pay(text.wares(paid))), ship: chosen.ship };
  const points = move.action.type === "deliver" ? (shipOf(tileset, move.action.ship)?.points ?? 0) : 0;
  return hint("deliver", "ships", text.lesson.deliver(text.points(points)), move);
}

type Evaluated = Extract<GameEvent, { type: "feature_evaluated" }>;
export type Work = "bridge" | "island" | "sea" | "boat";

/** What was evaluated for a player and brought wares, before the end of the game. */
function evaluations(events: readonly GameEvent[], seat: number): Evaluated[] {
  return events
    .flatMap((event) => (event.type === "feature_evaluated" ? [event] : []))
    .filter(({ cause, wares, winners }) => cause !== "final" && total(wares) > 0 && winners.includes(seat));
}

function workOf({ cause, kind }: Evaluated): Work {
  return cause === "boat" ? "boat" : (kind as Work);
}

/** The steps without those that were taken back. */
function lasting(steps: LessonState["steps"]): LessonState["steps"] {
  const kept: LessonState["steps"][number][] = [];
  for (const step of steps) {
    if (step.diff.events.some(({ type }) => type === "move_undone")) kept.pop();
    else kept.push(step);
  }
  return kept;
}

/** The lesson ends with the first ship, or when it has taken long enough. */
function isOver({ game, seat }: LessonState): boolean {
  return (
    game.status !== "active" ||
    (game.turn?.number ?? 0) > LAST_TURN ||
    (game.players[seat]?.ships.length ?? 0) > 0
  );
}

/** R7: how the game ends, and what counts. */
function last({ game, seat }: LessonState): Hint {
  const points = game.players[seat]?.points ?? 0;
  const words = points === 0 ? text.lesson.overWithout : text.lesson.over(text.points(points));
  return hint("over", "nothing", words);
}

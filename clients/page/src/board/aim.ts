/** What can be chosen on the board as it is shown, or has happened there, and how the view follows it. */

import type { PlacedTile } from "south-seas-client";
import { type Cell, SIZE, keyOf } from "../model/cells.ts";
import { type Choices, NOTHING, type SpotChoice } from "../model/choices.ts";
import { placesOf } from "../model/news.ts";
import { leastTarget } from "../model/pointer.ts";
import { tilesOf } from "../model/tileset.ts";
import type { GameSession } from "../session/game_session.ts";
import type { Pictures } from "./pictures.ts";
import { onBoard } from "./placed.tsx";
import { type Aim, targetOf } from "./placing.ts";
import { touchAreas } from "./touch_areas.ts";

/** The largest side of what a touch may hit: beside a spot other things can be touched, a figure stands for its tile. */
const SPOT_SIDE = 60;
const FIGURE_SIDE = 95;
/** The side that spots of nearly any tile have room for: tiles that have to be drawn larger for spots get its size. */
const CLOSE_SIDE = 29.4;

/** A spot where an islander may go, or one that may be taken back. */
export interface Spot {
  readonly choice: SpotChoice;
  readonly placed: PlacedTile;
  /** Where it is on the board, in its units. */
  readonly middle: Cell;
  /** The middle of the square in which a touch means it, and the square's side. */
  readonly touch: Cell;
  readonly side: number;
}

/** What may be chosen on the board as it is shown: nothing in a replay. */
export function choicesShown({ replayed, choices }: GameSession): Choices {
  return replayed === null ? choices : NOTHING;
}

/** The cell or spot that the lesson suggests. */
export function suggestedStop({ hint, choices: { spots } }: GameSession): string | undefined {
  const move = hint?.move;
  return move?.action.type === "place_tile"
    ? keyOf(move.action)
    : spots.find((spot) => spot.move.id === move?.id)?.key;
}

export function spotsShown(session: GameSession, pictures: Pictures): Spot[] {
  const spots = choicesShown(session).spots.flatMap((choice) => {
    const placed = session.game?.board[keyOf(choice.cell)];
    if (!placed) return [];
    const middle = onBoard(choice.cell, pictures.spot(placed.tile, placed.rotation, choice.segment));
    return [{ choice, placed, middle }];
  });
  const largest = spots.some(({ choice }) => choice.kind === "place") ? SPOT_SIDE : FIGURE_SIDE;
  const { side, middles } = touchAreas(
    spots.map(({ middle }) => middle),
    largest,
  );
  return spots.map((spot, index) => ({ ...spot, touch: middles[index] ?? spot.middle, side }));
}

/** How large a tile has to be so that what has such sides is hit. */
function leastFor(side: number): number {
  return Math.ceil((leastTarget() * SIZE) / side);
}

/** What the view follows: null where that is nothing, undefined where it is not known yet. */
export function aimOf(session: GameSession, pictures: Pictures): Aim | null | undefined {
  const { replayed, decider, choices, selection } = session;
  if (replayed !== null) return session.isRecap ? aimAtNews(session) : null;
  if (decider === null) return aimAtNews(session);
  if (choices === NOTHING) return undefined;
  if (selection.cell) return aimAtTrial(session, pictures, selection.cell);
  if (choices.cells.size > 0) {
    const targets = [...choices.cells].map(([key, { cell }]) => targetOf(key, cell));
    const suggested = suggestedStop(session);
    const first = suggested === undefined ? [] : [suggested];
    return { isChoice: true, targets, first, ...sizesForCells() };
  }
  const spots = spotsShown(session, pictures);
  return spots.length > 0 ? aimAtSpots(spots) : aimAtNews(session);
}

/** How large a tile has to be so that a figure on it is hit. */
export function figureTile(): number {
  return leastFor(FIGURE_SIDE);
}

/** Tiles that are too small get the size with which figures can be chosen next, too. */
function sizesForCells(): { readonly least: number; readonly size: number } {
  return { least: leastTarget(), size: figureTile() };
}

/**
 * While there is nothing to choose on the board, what has happened there last, in the size for free cells, of which one is
 * chosen next. Who only watches follows nothing, and sees the whole board.
 */
function aimAtNews(session: GameSession): Aim | null {
  const { game, shownSteps } = session;
  if (game?.status !== "active" || !game.players.some(({ seat }) => session.isMine(seat))) return null;
  const places = shownSteps.map(({ diff }) => placesOf(diff)).findLast(({ length }) => length > 0) ?? [];
  const targets = places.map((cell) => targetOf(keyOf(cell), cell));
  return { isChoice: false, targets, first: [], ...sizesForCells() };
}

/** The tile on trial, so near already that its spots can be chosen next, by whom has an islander for them. */
function aimAtTrial(session: GameSession, pictures: Pictures, cell: Cell): Aim {
  const { game, tileset, selection, decider } = session;
  const trial = { isChoice: true, targets: [targetOf(keyOf(cell), cell)], first: [] };
  if (game?.players[decider ?? 0]?.supply === 0) return { ...trial, ...sizesForCells() };
  const tile = game?.turn?.tile ?? "";
  const segments = (tileset && tilesOf(tileset).get(tile)?.segments) ?? [];
  const spots = segments.flatMap(({ kind }, index) =>
    kind === "market" ? [] : [pictures.spot(tile, selection.rotation, index)],
  );
  const least = leastFor(touchAreas(spots, SPOT_SIDE).side);
  return { ...trial, least, size: Math.max(leastFor(CLOSE_SIDE), least) };
}

function aimAtSpots(spots: readonly Spot[]): Aim {
  const placing = spots.filter(({ choice }) => choice.kind === "place");
  const least = leastFor(Math.min(...spots.map(({ side }) => side)));
  return {
    isChoice: true,
    targets: spots.map(({ choice: { key }, touch: { x, y }, side }) => ({
      key,
      x: x / SIZE,
      y: y / SIZE,
      half: side / SIZE / 2,
    })),
    first: placing.map(({ choice }) => choice.key),
    least,
    size: placing.length > 0 ? Math.max(leastFor(CLOSE_SIDE), least) : least,
  };
}

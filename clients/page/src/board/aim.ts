/** What can be chosen on the board as it is shown, or has happened there, and how the view follows it. */

import type { Game, PlacedTile } from "south-seas-client";
import { type Cell, SIZE, cellsOfIslanders, keyOf } from "../model/cells.ts";
import { type Choices, NOTHING, type SpotChoice } from "../model/choices.ts";
import { lastTiles, placesOf } from "../model/news.ts";
import { leastTarget } from "../model/pointer.ts";
import type { GameSession } from "../session/game_session.ts";
import type { Pictures } from "./pictures.ts";
import { onBoard } from "./placed.tsx";
import { type Aim, targetOf } from "./placing.ts";
import { apartOf, touchAreas } from "./touch_areas.ts";

/** The largest side of what a touch may hit: beside a spot other things can be touched, a figure stands for its tile. */
const SPOT_SIDE = 60;
const FIGURE_SIDE = 95;
/** Of the circle at a spot. */
const SPOT_RADIUS = 15;

/** A spot where an islander may go, or one that may be taken back. */
export interface Spot {
  readonly choice: SpotChoice;
  readonly placed: PlacedTile;
  /** Where it is on the board, in its units. */
  readonly middle: Cell;
  /** The middle of the square in which a touch means it, and the square's side. */
  readonly touch: Cell;
  readonly side: number;
  /** Of the circle that is drawn. */
  readonly radius: number;
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

/** All spots, or those of one kind, as they are on the board. */
export function spotsShown(session: GameSession, pictures: Pictures, kind?: SpotChoice["kind"]): Spot[] {
  const spots = choicesShown(session).spots.flatMap((choice) => {
    const placed = session.game?.board[keyOf(choice.cell)];
    if (!placed || (kind && choice.kind !== kind)) return [];
    const middle = onBoard(choice.cell, pictures.spot(placed.tile, placed.rotation, choice.segment));
    return [{ choice, placed, middle }];
  });
  const places = spots.map(({ middle }) => middle);
  const isBeside = spots.length > 1 && spots.some(({ choice }) => choice.kind === "place");
  const { side, middles } = touchAreas(places, isBeside ? SPOT_SIDE : FIGURE_SIDE);
  const radius = Math.min(SPOT_RADIUS, apartOf(places) / 2);
  return spots.map((spot, index) => ({ ...spot, touch: middles[index] ?? spot.middle, side, radius }));
}

/** How large a tile has to be so that what has such sides is hit. */
export function leastFor(side: number): number {
  return Math.ceil((leastTarget() * SIZE) / side);
}

/** What the view follows: null where that is nothing, undefined where it is not known yet. */
export function aimOf(session: GameSession, pictures: Pictures): Aim | null | undefined {
  const { game, replayed, decider, choices, selection } = session;
  if (!game) return null;
  if (replayed !== null) return session.isRecap ? aimAtNews(session) : null;
  if (decider === null || session.told) return aimAtNews(session);
  if (choices === NOTHING) return undefined;
  const spots = spotsShown(session, pictures);
  const targets = [
    ...[...choices.cells].map(([key, { cell }]) => targetOf(key, cell)),
    ...spots.map(({ choice: { key }, touch: { x, y }, side }) => {
      return { key, x: x / SIZE, y: y / SIZE, half: side / SIZE / 2 };
    }),
  ];
  if (targets.length === 0) return aimAtNews(session);
  const suggested = selection.cell ? keyOf(selection.cell) : suggestedStop(session);
  const placing = spots.flatMap(({ choice: { kind, key } }) => (kind === "place" ? [key] : []));
  const first = suggested === undefined || spots.length > 0 ? placing : [suggested];
  // Where there is a lens for the others, figures that are near each other still need larger tiles.
  const [figure] = spotsShown(session, pictures, "retrieve");
  const tile = leastFor(figure?.side ?? FIGURE_SIDE);
  const isChosen = (selection.cell ?? selection.spot) !== null;
  const beside = aimBeside(session, game, decider);
  // Of an islander's turn the tile alone.
  const latest = spots.length > 0 && game.turn?.placed ? [game.turn.placed] : beside.latest;
  return { ...beside, latest, isChoice: true, isChosen, targets, first, tile };
}

/** How large a tile has to be so that a free cell is hit, and a figure alone. */
export function figureTile(): number {
  return leastFor(FIGURE_SIDE);
}

/**
 * While there is nothing to choose on the board, what has happened there last, in the size for free cells, of which one is
 * chosen next. Who only watches follows nothing, and sees the whole board.
 */
function aimAtNews(session: GameSession): Aim | null {
  const { game } = session;
  const own = game?.players.find(({ seat }) => session.isMine(seat));
  if (game?.status !== "active" || !own) return null;
  const { told, shownSteps } = session;
  const places = (told ? [told] : shownSteps).map(({ diff }) => placesOf(diff));
  const latest = places.findLast(({ length }) => length > 0) ?? [];
  const nothing = { isChoice: false, isChosen: false, targets: [], first: [] };
  return { ...nothing, ...aimBeside(session, game, own.seat), latest };
}

/** What is wanted beside targets: the tiles of the last round, and the own islanders. */
function aimBeside(
  { shownSteps }: GameSession,
  game: Game,
  seat: number,
): Pick<Aim, "latest" | "own" | "tile"> {
  const latest = [...lastTiles(shownSteps, game.players.length).values()];
  return { latest, own: cellsOfIslanders(game, seat), tile: figureTile() };
}

/** What the view of the board shows at the beginning of each own turn of a played game, beside the best that it could. */

import type { GameEvent, PlacedTile } from "south-seas-client";
import type { TestContext } from "node:test";
import { aimOf } from "../board/aim.ts";
import type { Pictures } from "../board/pictures.ts";
import { type Aim, cellBox, onScreen, squareOf } from "../board/placing.ts";
import { type Room, isClear, largestPart } from "../board/room.ts";
import { View } from "../board/view.ts";
import { type Box, type Cell, SIZE, cellOf, keyOf } from "../model/cells.ts";
import { type Choices, NOTHING } from "../model/choices.ts";
import { walkedCells } from "../model/described_cells.ts";
import type { GameSession } from "../session/game_session.ts";
import { NOTHING_SELECTED } from "../session/selection.ts";
import { removeFinger } from "./browser.ts";
import { TILESET, game, move, place, placed, player, turn } from "./games.ts";
import { type PlayedTurn, playedTurns } from "./played_games.ts";

/** The board's frame on a screen with the cards of five players, and what lies over it. */
export interface Screen {
  readonly name: string;
  readonly isTouched: boolean;
  readonly room: Room;
}

/** The news above, buttons at the right, and the one of the sidebar at the left of the bottom. */
function screen(name: string, width: number, height: number, isNewsAbove: boolean, isTouched = true): Screen {
  const news = { left: 10, top: 3, right: width - 10, bottom: 47 };
  const buttons = isTouched
    ? [
        [8, 75, 52],
        [width - 102, width - 58, 52],
        [width - 52, width - 8, 52],
      ]
    : [207, 157, 106, 56].map((up) => [width - 56, width - 12, up]);
  const covers = buttons.map(([left = 0, right = 0, up = 0]) => {
    return { left, right, top: height - up, bottom: height - up + 44 };
  });
  const frame = { left: 0, top: 0, right: width, bottom: height };
  return { name, isTouched, room: { frame, covers: isNewsAbove ? [news, ...covers] : covers } };
}

export const SCREENS: readonly Screen[] = [
  screen("360x640", 360, 212, true),
  screen("390x844", 390, 416, true),
  screen("844x390", 504, 344, false),
  screen("768x1024", 768, 594, true),
  screen("1280x800", 908, 567, true, false),
];

export interface Frames {
  turns: number;
  /** How many of the choices the view showed when they came, and how many could be shown on tiles of the same size. */
  shown: number;
  best: number;
  /** In how many turns a side was empty, and some of the board was beyond the other one. */
  lopsided: number;
}

/** How far a side is empty, in pixels, before that counts. */
const EMPTY = 40;
const PICTURES = {
  spot: (_tile: string, _rotation: number, segment: number) => ({
    x: 20 + 30 * segment,
    y: 20 + 30 * segment,
  }),
} as unknown as Pictures;

/** Follows a game from these seats; with `isMoved` the player moves and zooms the board in each turn of others. */
export function framesOf(
  t: TestContext,
  screen: Screen,
  players: number,
  isMoved: boolean,
  seats: Iterable<number> = Array(players).keys(),
): Frames {
  const frames = { turns: 0, shown: 0, best: 0, lopsided: 0 };
  if (!screen.isTouched) removeFinger(t);
  for (const seat of seats) follow(seat, playedTurns(players), screen, isMoved, frames);
  t.mock.restoreAll();
  return frames;
}

function follow(
  own: number,
  turns: readonly PlayedTurn[],
  { room }: Screen,
  isMoved: boolean,
  frames: Frames,
): void {
  const [width, height] = [room.frame.right, room.frame.bottom];
  const style = { transform: "", setProperty() {} };
  const frame = { getBoundingClientRect: () => ({ left: 0, top: 0, width, height }) } as Element;
  const view = new View(
    frame,
    { style } as unknown as SVGGElement,
    () => room.covers,
    () => {},
  );
  const board: Record<string, PlacedTile> = { "0,0": placed("start") };
  let steps: GameEvent[] = [];

  function show(choices: Choices | null, cell: Cell | null = null): Aim | null {
    const session = {
      game: game({
        board,
        turn: turn({ tile: "start" }),
        players: [0, 1, 2, 3, 4].map((seat) => player(seat, `${seat}`)),
      }),
      tileset: TILESET,
      replayed: null,
      decider: choices ? own : null,
      selection: { ...NOTHING_SELECTED, cell },
      choices: choices ?? NOTHING,
      hint: null,
      shownSteps: steps.map((event) => ({ diff: { events: [event] } })),
      isMine: (seat: number) => seat === own,
    } as unknown as GameSession;
    view.fit(walkedCells(game({ board })), Object.keys(board).map(cellOf));
    const aim = aimOf(session, PICTURES) ?? null;
    view.aimAt(aim);
    return aim;
  }

  for (const { seat, placed: cell, choices, islanders } of turns) {
    for (const [key, tile] of Object.entries(board)) {
      const others = tile.islanders.filter((islander) => islander.seat !== seat);
      const stands = islanders.some((islander) => keyOf(islander) === key);
      board[key] = { ...tile, islanders: stands ? [...others, { seat, segment: 0 }] : others };
    }
    if (seat === own) {
      const cells = new Map(
        choices.map((one) => [keyOf(one), { cell: one, rotations: new Map([[0, place(one.x, one.y, 0)]]) }]),
      );
      const aim = show({ ...NOTHING, cells });
      if (aim)
        measure(view, style.transform, aim, [...Object.keys(board).map(cellOf), ...choices], room, frames);
      show({ ...NOTHING, cells }, cell);
    } else if (isMoved) {
      view.zoom(seat % 2 ? 1.35 : 1 / 1.35);
      view.pan((width / 3) * (cell.x % 2 ? 1 : -1), (height / 3) * (cell.y % 2 ? 1 : -1));
    }
    board[keyOf(cell)] = placed("start");
    steps = [
      ...(seat === own ? [] : steps),
      { type: "tile_placed", seat, ...cell, tile: "start", rotation: 0 },
    ];
    if (seat === own) {
      const spots = [0, 1, 2].map((segment) => {
        const action = { type: "place_islander", segment } as const;
        return { key: `${segment}`, kind: "place" as const, cell, segment, move: move(`${segment}`, action) };
      });
      show({ ...NOTHING, spots });
    }
    show(null);
  }
}

function measure(
  view: View,
  transform: string,
  aim: Aim,
  cells: readonly Cell[],
  room: Room,
  frames: Frames,
): void {
  const [left = 0, top = 0, scale = 1] = transform.match(/-?[\d.]+(?:e-?\d+)?/g)?.map(Number) ?? [];
  const at = { tile: scale * SIZE, left, top };
  frames.turns++;
  frames.shown += view.inSight.length;
  frames.best += mostShown(aim, at.tile, room);
  frames.lopsided += isLopsided(
    cells.map((cell) => onScreen(cellBox(cell), at)),
    room,
  )
    ? 1
    : 0;
}

/** The most targets that can be clear at once on tiles of this size. */
function mostShown({ targets }: Aim, tile: number, room: Room): number {
  const squares = targets.map((target) => onScreen(squareOf(target, tile), { tile, left: 0, top: 0 }));
  let most = 0;
  // In some best place a square is at the left of the room there, and one at the top.
  for (const left of starts(
    squares.map((square) => square.left),
    [room.frame.left, ...room.covers.map(({ right }) => right)],
  ))
    for (const top of starts(
      squares.map((square) => square.top),
      [room.frame.top, ...room.covers.map(({ bottom }) => bottom)],
    )) {
      const isSeen = (square: Box): boolean => isClear(onScreen(square, { tile: 1, left, top }), room);
      most = Math.max(most, squares.filter(isSeen).length);
    }
  return most;
}

function starts(squares: readonly number[], edges: readonly number[]): Set<number> {
  // A little inside, for the rounding.
  return new Set(
    edges.flatMap((edge) => squares.map((square) => Math.round((edge - square) * 1e6) / 1e6 + 1e-6)),
  );
}

/** Between the news and the buttons. */
function isLopsided(cells: readonly Box[], room: Room): boolean {
  if (cells.every((cell) => isClear(cell, room))) return false;
  const window = largestPart(room);
  const within = (from: "left" | "top", to: "right" | "bottom"): Box[] =>
    cells.filter((cell) => cell[to] > window[from] + 1 && cell[from] < window[to] - 1);
  function isAlong(from: "left" | "top", to: "right" | "bottom", band: readonly Box[]): boolean {
    const [first, last] = [
      Math.min(...band.map((cell) => cell[from])),
      Math.max(...band.map((cell) => cell[to])),
    ];
    const [before, after] = [first - window[from], window[to] - last];
    return (before >= EMPTY && after <= -1) || (after >= EMPTY && before <= -1);
  }
  return (
    isAlong("left", "right", within("top", "bottom")) || isAlong("top", "bottom", within("left", "right"))
  );
}

/** The pictures of the help: small boards of the default tile set, with what lies and stands on them. */

import type { JSX } from "preact";
import { Figure } from "../board/figure.tsx";
import type { Pictures } from "../board/pictures.ts";
import { BoatToken, TilePicture, at, onBoard } from "../board/placed.tsx";
import { type Cell, SIZE, keyOf } from "../model/cells.ts";

export const HELP_TILESET = "lagoon";
const CORNER: Cell = { x: 0, y: 0 };

interface HelpTile extends Cell {
  readonly tile: string;
  readonly rotation: number;
  readonly islander?: { readonly segment: number; readonly color: string; readonly lies?: boolean };
  /** The fish that a boat has taken. */
  readonly covered?: { readonly segment: number; readonly group: number };
  /** Whether it has just been placed. */
  readonly isNewest?: boolean;
}

type HelpBoard = readonly HelpTile[];

function row(y: number, ...tiles: readonly Omit<HelpTile, "x" | "y">[]): HelpTile[] {
  return tiles.map((tile, x) => ({ ...tile, x, y }));
}

export const HELP_BOARDS = {
  place: row(
    0,
    { tile: "island-end-1", rotation: 1 },
    { tile: "start", rotation: 0 },
    { tile: "bridge-straight-3", rotation: 1, isNewest: true },
  ),
  bridge: row(0, { tile: "bridge-straight-3", rotation: 1, islander: { segment: 0, color: "red" } }),
  island: row(0, { tile: "island-corner-3", rotation: 0, islander: { segment: 0, color: "blue" } }),
  sea: row(0, { tile: "bridge-bend-3", rotation: 0, islander: { segment: 2, color: "green", lies: true } }),
  market: row(0, { tile: "market-2", rotation: 0, islander: { segment: 0, color: "yellow" } }),
  finished: row(
    0,
    { tile: "island-end-1", rotation: 1, islander: { segment: 0, color: "red" } },
    { tile: "island-end-3", rotation: 3, isNewest: true },
  ),
  boat: row(
    0,
    { tile: "island-end-3", rotation: 0, islander: { segment: 1, color: "blue", lies: true } },
    { tile: "atoll", rotation: 0, covered: { segment: 1, group: 0 }, isNewest: true },
  ),
  surrounded: [
    ...row(
      0,
      { tile: "bridge-straight-3", rotation: 2 },
      { tile: "island-end-2", rotation: 0 },
      { tile: "bridge-past-2", rotation: 1 },
    ),
    ...row(
      1,
      { tile: "bridge-bend-1", rotation: 3 },
      { tile: "market-3", rotation: 0, islander: { segment: 0, color: "yellow" } },
      { tile: "bridge-bends-1", rotation: 0 },
    ),
    ...row(
      2,
      { tile: "atoll", rotation: 1 },
      { tile: "bridge-bend-2", rotation: 3 },
      { tile: "corner-bridge-1", rotation: 1 },
    ),
  ],
} satisfies Record<string, HelpBoard>;

interface HelpPictureProps {
  /** Null until they are loaded; the picture's room is there at once. */
  readonly pictures: Pictures | null;
  readonly board: HelpBoard;
  /** What it shows; without it the picture is an ornament of the words beside it. */
  readonly label?: string;
}

export function HelpPicture({ pictures, board, label }: HelpPictureProps): JSX.Element {
  const width = SIZE * (Math.max(...board.map(({ x }) => x)) + 1);
  const height = SIZE * (Math.max(...board.map(({ y }) => y)) + 1);
  return (
    <svg
      class="help-picture"
      viewBox={`-3 -3 ${width + 6} ${height + 6}`}
      preserveAspectRatio="xMinYMid"
      role={label === undefined ? "presentation" : "img"}
      aria-label={label}
    >
      {pictures && (
        <>
          {board.map((placed) => (
            <Tile key={keyOf(placed)} pictures={pictures} placed={placed} />
          ))}
          {board.map((placed) => (
            <OnTile key={keyOf(placed)} pictures={pictures} placed={placed} />
          ))}
        </>
      )}
    </svg>
  );
}

interface PlacedProps {
  readonly pictures: Pictures;
  readonly placed: HelpTile;
}

function Tile({ pictures, placed }: PlacedProps): JSX.Element {
  return (
    <g transform={at(onBoard(placed, CORNER))}>
      <TilePicture href={pictures.href(placed.tile, placed.rotation)} />
      {placed.isNewest && <rect class="help-frame" width={SIZE} height={SIZE} rx="5" />}
    </g>
  );
}

function OnTile({ pictures, placed }: PlacedProps): JSX.Element {
  const { tile, rotation, islander, covered } = placed;
  return (
    <g transform={at(onBoard(placed, CORNER))}>
      {covered && <BoatToken {...pictures.group(tile, rotation, covered.segment, covered.group)} />}
      {islander && (
        <g transform={`${at(pictures.spot(tile, rotation, islander.segment))} scale(1.5)`}>
          <Figure color={islander.color} lies={islander.lies === true} />
        </g>
      )}
    </g>
  );
}

/** The cells of the board and what may be chosen on it: places for the tile, spots for an islander. */

import type { Game, TileSet } from "south-seas-client";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { text } from "../messages/index.ts";
import { type Cell, SIZE, keyOf, sameCell } from "../model/cells.ts";
import type { CellChoice, SpotChoice } from "../model/choices.ts";
import { freeCellInWords, tileOnBoardInWords, walkedCells } from "../model/described_cells.ts";
import { describedCell, kindAt } from "../model/event_sentences.ts";
import { useGradually } from "../parts/gradually.ts";
import type { GameSession } from "../session/game_session.ts";
import { choose, confirm } from "../session/actions.ts";
import { type Spot, choicesShown, suggestedStop } from "./aim.ts";
import { Figure } from "./figure.tsx";
import type { Pictures } from "./pictures.ts";
import { TilePicture, at } from "./placed.tsx";
import { Stop } from "./stop.tsx";

/** The radius of a spot on which a figure is as large as it is drawn, in units of the board. */
const SPOT = 18;

/** So many cells are made at once. */
const CELLS_AT_ONCE = 30;

interface ChoicesProps {
  readonly session: GameSession;
  readonly pictures: Pictures;
  /** The stop that Tab reaches. */
  readonly reachable: string;
}

interface CellsProps extends ChoicesProps {
  /** The tile whose spots are chosen once it is shown large; null where there is none. */
  readonly closed: Cell | null;
  readonly onEnlarge: () => void;
}

/**
 * Every cell, so that the board can be walked; where the tile may lie it is a button, and where one is chosen, the tile
 * lies there on trial. A cell's element stays when a tile is placed there, and the focus with it.
 */
export function Cells({ session, pictures, reachable, closed, onEnlarge }: CellsProps): JSX.Element | null {
  const { game, tileset } = session;
  const walked = useMemo(() => (game ? walkedCells(game) : []), [game]);
  const made = useGradually(walked.length, CELLS_AT_ONCE);
  const wordsOf = useCellWords(session);
  if (!game || !tileset) return null;
  const { cells } = choicesShown(session);
  const suggested = suggestedStop(session);
  const tile = game.turn?.tile ?? "";
  return (
    <g class="cells">
      {walked.slice(0, made).map((cell) => {
        const key = keyOf(cell);
        const choice = cells.get(key);
        const isClosed = sameCell(cell, closed);
        return (
          <Stop
            key={key}
            name={key}
            cell={cell}
            middle={{ x: (cell.x + 0.5) * SIZE, y: (cell.y + 0.5) * SIZE }}
            label={
              choice
                ? choiceLabel(session, game, tileset, choice)
                : isClosed
                  ? text.game.enlarge
                  : wordsOf(cell)
            }
            isReachable={key === reachable}
            choice={
              choice
                ? {
                    isSelected: sameCell(cell, session.selection.cell),
                    isShining: key === suggested,
                    onChoose: () => choose.cell(session, cell),
                    onConfirm: () => confirm(session),
                  }
                : isClosed
                  ? { isSelected: false, isShining: false, onChoose: onEnlarge, onConfirm: onEnlarge }
                  : null
            }
            onInspect={
              game.board[key] ? () => session.inspect(cell, session.inspection.following(cell)) : undefined
            }
          >
            {choice ? (
              <g transform={at({ x: cell.x * SIZE, y: cell.y * SIZE })}>
                <Place
                  session={session}
                  choice={choice}
                  href={pictures.href(tile, session.selection.rotation)}
                />
              </g>
            ) : isClosed ? (
              <g transform={at({ x: cell.x * SIZE, y: cell.y * SIZE })}>
                <rect class="reach" width={SIZE} height={SIZE} />
                <rect class="cell" x="5" y="5" width="90" height="90" rx="12" />
                <path
                  class="enlarge"
                  d="M64 64L80 80M68 46a22 22 0 1 1-44 0a22 22 0 0 1 44 0M46 36v20M36 46h20"
                />
              </g>
            ) : (
              <rect
                class="walked-frame"
                x={cell.x * SIZE + 3}
                y={cell.y * SIZE + 3}
                width={SIZE - 6}
                height={SIZE - 6}
                rx="9"
              />
            )}
          </Stop>
        );
      })}
    </g>
  );
}

function Place(props: { session: GameSession; choice: CellChoice; href: string }): JSX.Element {
  const { selection } = props.session;
  const selected = sameCell(props.choice.cell, selection.cell);
  if (!selected) {
    return (
      <>
        <rect class="reach" width={SIZE} height={SIZE} />
        <rect class="cell" x="5" y="5" width="90" height="90" rx="12" />
        <path class="cell-plus" d="M50 36v28M36 50h28" />
      </>
    );
  }
  return (
    <g class="trial">
      <rect class="trial-ground" width={SIZE} height={SIZE} />
      <g key={selection.rotation} class="turning">
        <TilePicture href={props.href} />
      </g>
      <rect class="trial-frame" x="1.5" y="1.5" width={SIZE - 3} height={SIZE - 3} rx="5" />
      {props.choice.rotations.size > 1 && (
        <g class="trial-turn" transform="translate(86 14)">
          <circle r="11" />
          <path d="M5.5-1.5A5.5 5.5 0 1 0 4 4M6-6v4.5H1.5" />
        </g>
      )}
    </g>
  );
}

/** A cell in words: made once for each state of the game, and of what is known of it. */
function useCellWords({ game, tileset, inspection }: GameSession): (cell: Cell) => string {
  const features = game && inspection.featuresOf(game);
  const made = useMemo(() => new Map<string, string>(), [game, tileset, features, text]);
  return (cell) => {
    if (!game || !tileset) return "";
    const key = keyOf(cell);
    const placed = game.board[key];
    const words =
      made.get(key) ??
      (placed
        ? tileOnBoardInWords(game, tileset, cell, placed, features)
        : freeCellInWords(game, tileset, cell));
    made.set(key, words);
    return words;
  };
}

function choiceLabel(
  { selection }: GameSession,
  game: Game,
  tileset: TileSet,
  { cell, rotations }: CellChoice,
): string {
  if (!sameCell(cell, selection.cell)) return describedCell(game, tileset, cell, rotations.size);
  const { at: where, chosenCell, turned } = text.describe;
  return chosenCell(where(cell.x, cell.y), turned(selection.rotation));
}

interface SpotsProps extends Omit<ChoicesProps, "pictures"> {
  readonly spots: readonly Spot[];
}

/** Spots where an islander may go, and islanders that may be taken back. */
export function SpotChoices({ session, spots, reachable }: SpotsProps): JSX.Element | null {
  const { game, tileset } = session;
  if (!game || !tileset) return null;
  const suggested = suggestedStop(session);
  return (
    <g class="spots">
      {spots.map(({ choice, placed, middle, touch, side, radius }) => {
        const kind = kindAt(game, tileset, choice.cell, choice.segment);
        return (
          <Stop
            key={choice.key}
            name={choice.key}
            cell={choice.cell}
            middle={middle}
            label={spotLabel(choice, kind)}
            description={
              choice.kind === "retrieve"
                ? tileOnBoardInWords(game, tileset, choice.cell, placed, session.inspection.featuresOf(game))
                : undefined
            }
            isReachable={choice.key === reachable}
            choice={{
              isSelected: session.selection.spot === choice.key,
              isShining: choice.key === suggested,
              onChoose: () => choose.spot(session, choice.key),
              onConfirm: () => confirm(session),
            }}
          >
            <rect class="reach" x={touch.x - side / 2} y={touch.y - side / 2} width={side} height={side} />
            <g transform={at(middle)}>
              <circle class={`spot ${choice.kind}`} r={radius} />
              {choice.kind === "place" && (
                <g class="spot-figure" transform={`scale(${radius / SPOT})`}>
                  <Figure color={game.players[session.decider ?? 0]?.color ?? ""} lies={kind === "sea"} />
                </g>
              )}
            </g>
          </Stop>
        );
      })}
    </g>
  );
}

function spotLabel({ kind, cell, move }: SpotChoice, segmentKind: string): string {
  return kind === "place"
    ? text.describe.spot(move.text)
    : text.describe.retrieve(segmentKind, text.describe.at(cell.x, cell.y));
}

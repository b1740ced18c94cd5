/** What may be chosen on the board: places for the tile, spots for an islander. Each is a button with a text. */

import type { ComponentChildren, JSX } from "preact";
import { text } from "../messages/index.ts";
import { type Cell, SIZE, keyOf, sameCell } from "../model/cells.ts";
import type { CellChoice, SpotChoice } from "../model/choices.ts";
import { isSuggested } from "../model/lesson.ts";
import { describedCell, kindAt } from "../model/event_sentences.ts";
import type { GameSession } from "../session/game_session.ts";
import { choose, confirm } from "../session/actions.ts";
import { Figure } from "./figure.tsx";
import type { Pictures } from "./pictures.ts";
import { TilePicture, at, onBoard } from "./placed.tsx";

/** The radius of a spot, and of the largest area around it that a touch may hit, in units of the board. */
const SPOT = 15;
const REACH = 30;

interface ChoiceProps {
  /** Middle of the choice, in units of the board. */
  readonly middle: Cell;
  readonly name: string;
  readonly label: string;
  readonly selected: boolean;
  /** Whether the lesson suggests it. */
  readonly shining: boolean;
  readonly reachable: boolean;
  readonly onChoose: () => void;
  readonly onConfirm: () => void;
  readonly children: ComponentChildren;
}

function Choice(props: ChoiceProps): JSX.Element {
  function key(event: KeyboardEvent): void {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    if (props.selected) props.onConfirm();
    else props.onChoose();
  }
  return (
    <g
      class={`choice${props.selected ? " selected" : ""}${props.shining ? " shining" : ""}`}
      role="button"
      tabindex={props.reachable ? 0 : -1}
      aria-label={props.shining ? text.lesson.shining(props.label) : props.label}
      aria-pressed={props.selected}
      data-choice={props.name}
      data-x={props.middle.x}
      data-y={props.middle.y}
      onClick={props.onChoose}
      onKeyDown={key}
    >
      {props.children}
    </g>
  );
}

interface ChoicesProps {
  readonly session: GameSession;
  readonly pictures: Pictures;
  /** The choice that Tab reaches; null for the first. */
  readonly active: string | null;
}

/** The cells where the tile may lie; where one is chosen, the tile lies there on trial. */
export function CellChoices(props: ChoicesProps & { inSight: ReadonlySet<string> }): JSX.Element | null {
  const { session, pictures, active, inSight } = props;
  const tile = session.game?.turn?.tile;
  const shines = ({ cell }: CellChoice): boolean => isSuggested(session.hint, cell);
  const rank = (choice: CellChoice): number =>
    Number(!inSight.has(keyOf(choice.cell))) - 2 * Number(shines(choice));
  // Tab reaches what the lesson suggests first, then what is in sight.
  const cells = [...session.choices.cells.values()].sort((one, other) => rank(one) - rank(other));
  const reachable = cells.some(({ cell }) => keyOf(cell) === active)
    ? active
    : keyOf(cells[0]?.cell ?? { x: 0, y: 0 });
  if (tile === undefined) return null;
  return (
    <g class="cells">
      {cells.map((choice) => (
        <Choice
          key={keyOf(choice.cell)}
          name={keyOf(choice.cell)}
          middle={{ x: (choice.cell.x + 0.5) * SIZE, y: (choice.cell.y + 0.5) * SIZE }}
          label={cellLabel(session, choice)}
          selected={sameCell(choice.cell, session.selection.cell)}
          shining={shines(choice)}
          reachable={keyOf(choice.cell) === reachable}
          onChoose={() => choose.cell(session, choice.cell)}
          onConfirm={() => confirm(session)}
        >
          <g transform={at({ x: choice.cell.x * SIZE, y: choice.cell.y * SIZE })}>
            <Place session={session} choice={choice} href={pictures.href(tile, session.selection.rotation)} />
          </g>
        </Choice>
      ))}
    </g>
  );
}

function Place(props: { session: GameSession; choice: CellChoice; href: string }): JSX.Element {
  const { selection } = props.session;
  const selected = sameCell(props.choice.cell, selection.cell);
  if (!selected) {
    return (
      <>
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
      <rect class="trial-frame" x="-1" y="-1" width={SIZE + 2} height={SIZE + 2} rx="7" />
      {props.choice.rotations.size > 1 && (
        <g class="trial-turn" transform="translate(86 14)">
          <circle r="11" />
          <path d="M5.5-1.5A5.5 5.5 0 1 0 4 4M6-6v4.5H1.5" />
        </g>
      )}
    </g>
  );
}

function cellLabel(session: GameSession, { cell, rotations }: CellChoice): string {
  if (!session.game || !session.tileset) return "";
  if (sameCell(cell, session.selection.cell)) {
    const { at: where, chosenCell, turned } = text.describe;
    return chosenCell(where(cell.x, cell.y), turned(session.selection.rotation));
  }
  return describedCell(session.game, session.tileset, cell, rotations.size);
}

/** The spots where an islander may go, and the islanders that may be taken back. */
export function SpotChoices({ session, pictures, active }: ChoicesProps): JSX.Element | null {
  const { game, tileset, choices } = session;
  if (!game || !tileset) return null;
  const shines = ({ move }: SpotChoice): boolean => move.id === session.hint?.move?.id;
  const first = choices.spots.find(shines) ?? choices.spots[0];
  const reachable = choices.spots.some(({ key }) => key === active) ? active : first?.key;
  const spots = choices.spots.flatMap((choice) => {
    const placed = game.board[keyOf(choice.cell)];
    if (!placed) return [];
    return [
      { choice, middle: onBoard(choice.cell, pictures.spot(placed.tile, placed.rotation, choice.segment)) },
    ];
  });
  /** How far a touch may be off: to the middle between this spot and the next one. */
  const reachOf = ({ x, y }: Cell): number => {
    const others = spots
      .map(({ middle }) => Math.hypot(middle.x - x, middle.y - y))
      .filter((away) => away > 0);
    return Math.max(SPOT, Math.min(REACH, ...others.map((away) => away / 2)));
  };
  return (
    <g class="spots">
      {spots.map(({ choice, middle }) => {
        const selected = session.selection.spot === choice.key;
        const kind = kindAt(game, tileset, choice.cell, choice.segment);
        return (
          <Choice
            key={choice.key}
            name={choice.key}
            middle={middle}
            label={spotLabel(choice, kind)}
            selected={selected}
            shining={shines(choice)}
            reachable={choice.key === reachable}
            onChoose={() => choose.spot(session, choice.key)}
            onConfirm={() => confirm(session)}
          >
            <g transform={at(middle)}>
              <circle class="reach" r={reachOf(middle)} />
              <circle class={`spot ${choice.kind}`} r={SPOT} />
              {choice.kind === "place" && (
                <g class="spot-figure" transform="scale(0.85)">
                  <Figure color={game.players[session.decider ?? 0]?.color ?? ""} lies={kind === "sea"} />
                </g>
              )}
            </g>
          </Choice>
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

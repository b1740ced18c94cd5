/** What an islander on the board is, and what it would bring now (R8.4). */

import type { JSX } from "preact";
import { text } from "../messages/index.ts";
import { type Cell, keyOf } from "../model/cells.ts";
import { kindAt, nameOf } from "../model/event_sentences.ts";
import type { GameSession } from "../session/game_session.ts";

interface InspectedProps {
  readonly session: GameSession;
  readonly cell: Cell;
  readonly segment: number;
  readonly onClose: () => void;
}

export function Inspected({ session, cell, segment, onClose }: InspectedProps): JSX.Element | null {
  const { game, tileset, scores } = session;
  const seat = game?.board[keyOf(cell)]?.islanders.find((islander) => islander.segment === segment)?.seat;
  if (!game || !tileset || seat === undefined) return null;
  const who = text.islander.of(nameOf(game, seat), kindAt(game, tileset, cell, segment));
  const value =
    session.replayed === null
      ? scores?.islanders.find(
          ({ x, y, segment: index }) => x === cell.x && y === cell.y && index === segment,
        )
      : undefined;
  return (
    <button class="inspected" onClick={onClose}>
      <b>{who}</b> {value && worth(value)}
    </button>
  );
}

export function worth({ value, unit, majority }: { value: number; unit: string; majority: boolean }): string {
  return majority ? text.islander.brings(value, unit) : text.islander.outnumbered;
}

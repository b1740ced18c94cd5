/** The move that a lesson suggests: not the strongest, but one whose use is soon seen. */

import type { Game, GameEvent, Move, Wares } from "south-seas-client";
import { EDGES, SIDES, keyOf } from "./cells.ts";
import { total } from "./payments.ts";

/** What a ware of one's own, and of others, counts beside a side that a tile touches. */
const OWN = 4;
const OTHERS = -2;
/** What an islander counts that does a work for the first time; a merchant, who is out for long, some of it. */
const NEW_WORK = 2;
const NEW_MERCHANT = 0.5;
/** What decides between equal moves as long as nobody has turned a tile: one that is turned. */
const TURNED = 0.5;
/** What an islander counts that stays at home. */
const AT_HOME = 0.3;

export interface Position {
  readonly game: Game;
  /** Who decides. */
  readonly seat: number;
  /** What may be done, with its effects. */
  readonly moves: readonly Move[];
  /** What this player has had explained: the kinds of segment that islanders work on, and "turn", how a tile is turned. */
  readonly known: ReadonlySet<string>;
}

/** The suggestion; of equal ones the first. Null where nothing may be done. */
export function advisedMove(position: Position): Move | null {
  let best: Move | null = null;
  let most = -Infinity;
  const seen = new Set<string>();
  for (const move of position.moves) {
    const { action } = move;
    const isTurned = action.type === "place_tile" && seen.has(keyOf(action));
    if (action.type === "place_tile") seen.add(keyOf(action));
    const value = valueOf(move, position) + (isTurned && !position.known.has("turn") ? TURNED : 0);
    if (value > most) [best, most] = [move, value];
  }
  return best;
}

/** What a player gets by events: wares of evaluated features (R5.5). */
export function gainOf(events: readonly GameEvent[], isWinner: (seat: number) => boolean): number {
  return events.reduce(
    (sum, event) =>
      event.type === "feature_evaluated"
        ? sum + event.winners.filter(isWinner).length * total(event.wares)
        : sum,
    0,
  );
}

function valueOf(
  { action, effects, if_passed: passed, feature }: Move,
  { game, seat, known }: Position,
): number {
  const events = [...(effects ?? []), ...(passed ?? [])];
  const wares =
    OWN * gainOf(events, (winner) => winner === seat) + OTHERS * gainOf(events, (winner) => winner !== seat);
  switch (action.type) {
    case "place_tile":
      // The more sides touch, the fewer stay open.
      return wares + touchedSides(game, action.x, action.y);
    case "place_islander":
      return wares + (feature ? worthOf(feature.kind, feature.wares, feature.open, known) : 0);
    case "retrieve_islander":
      return -1;
    case "take_ship":
    case "deliver":
      return pointsOf(events);
    case "pass":
      return game.turn?.phase === "islander" ? AT_HOME : 0;
  }
}

/** What an islander's work promises: more wares, and fewer open sides before they come (R5.1 to R5.4). */
function worthOf(kind: string, wares: Wares, open: number, known: ReadonlySet<string>): number {
  if (kind === "market") return known.has(kind) ? 0 : NEW_MERCHANT;
  return (1 + total(wares)) / (1 + open) + (known.has(kind) ? 0 : NEW_WORK);
}

function touchedSides(game: Game, x: number, y: number): number {
  return EDGES.filter((edge) => game.board[keyOf({ x: x + SIDES[edge].x, y: y + SIDES[edge].y })]).length;
}

function pointsOf(events: readonly GameEvent[]): number {
  return events.reduce((sum, event) => (event.type === "ship_taken" ? sum + event.points : sum), 0);
}

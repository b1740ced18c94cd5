/** What happened, as icons and short words. */

import type { Diff, Game, GameEvent, TileSet, Wares } from "south-seas-client";
import { text } from "../messages/index.ts";
import { NO_WARES } from "./choices.ts";
import { isLate, kindAt, sentence } from "./event_sentences.ts";
import { gainsIn } from "./news.ts";

export interface ShortEvent {
  /** The name of its picture; "" for none. */
  readonly icon: string;
  /** Whose it is; null for nobody's. */
  readonly seat: number | null;
  readonly words: string;
  /** Where it was, if the board no longer shows it; "" otherwise. */
  readonly place: string;
  /** What the seat gains; less than none of what it pays. */
  readonly wares: Wares;
  readonly points: number;
}

/** The short events of one change; `game` is the state after it. All that is evaluated is one for each who gains. */
export function shortEvents(diff: Diff, game: Game, tileset: TileSet): ShortEvent[] {
  const { events } = diff;
  const evaluated = events.filter(({ type }) => type === "feature_evaluated");
  return events.flatMap((event) => {
    if (event === evaluated[0]) return inEvaluations(evaluated);
    const short = shortEvent(event, game, tileset, diff);
    return short ? [{ ...NOTHING_SAID, ...short }] : [];
  });
}

/** What it says of a turn whose time ran out to the player whose turn it was; null for other changes. */
export function lateWords(diff: Diff): string | null {
  if (!isLate(diff)) return null;
  return diff.events.some(({ type }) => type === "tile_placed") ? text.short.latePlaced : text.short.late;
}

const NOTHING_SAID: ShortEvent = { icon: "", seat: null, words: "", place: "", wares: NO_WARES, points: 0 };

function inEvaluations(evaluated: readonly GameEvent[]): ShortEvent[] {
  const gains = [...gainsIn(evaluated)].map(([seat, gain]) => ({ ...NOTHING_SAID, seat, ...gain }));
  const idle = evaluated.filter((event) => gainsIn([event]).size === 0).length;
  return idle === 0 ? gains : [...gains, { ...NOTHING_SAID, words: text.short.nothing(idle) }];
}

function shortEvent(event: GameEvent, game: Game, tileset: TileSet, diff: Diff): Partial<ShortEvent> | null {
  switch (event.type) {
    case "tile_placed":
      return { icon: "tile", seat: event.seat, words: text.short.tile };
    case "islander_placed":
    case "islander_retrieved": {
      const words = text.short.role(kindAt(game, tileset, event, event.segment));
      const { seat, x, y } = event;
      return event.type === "islander_placed"
        ? { icon: "islander", seat, words }
        : { icon: "home", seat, words, place: `(${text.describe.at(x, y)})` };
    }
    case "fish_covered":
      return { icon: "boat", wares: { ...NO_WARES, fish: -event.fish } };
    case "ship_taken": {
      const { bananas, shells, fish } = event.paid ?? NO_WARES;
      const { seat, points } = event;
      return { seat, points, wares: { bananas: -bananas, shells: -shells, fish: -fish } };
    }
    case "turn_timed_out":
      return { icon: "clock", seat: event.seat, words: text.short.timedOut };
    case "move_undone":
      return { icon: "undo", seat: event.seat, words: text.short.undone };
    case "feature_evaluated":
    case "islander_returned":
    case "ship_revealed":
      return null;
    default: {
      const icon = event.type === "game_finished" ? "trophy" : "";
      const words = sentence(event, game, tileset, diff);
      return words === "" ? null : { icon, words };
    }
  }
}

/** What happened, in sentences. */

import type { Diff, Game, GameEvent, TileSet } from "south-seas-client";
import { text } from "../messages/index.ts";
import { type Cell, keyOf, neighbours } from "./cells.ts";
import { tilesOf } from "./tileset.ts";

/** The sentences of one change; `game` is the state after it. */
export function sentences(diff: Diff, game: Game, tileset: TileSet): string[] {
  return diff.events.map((event) => sentence(event, game, tileset, diff)).filter((said) => said !== "");
}

export function nameOf(game: Game, seat: number): string {
  return game.players[seat]?.name ?? text.seatName(seat);
}

/** The kind of the segment that an islander stands on. */
export function kindAt(game: Game, tileset: TileSet, cell: Cell, segment: number): string {
  const placed = game.board[keyOf(cell)];
  return (placed && tilesOf(tileset).get(placed.tile)?.segments[segment]?.kind) ?? "";
}

function sentence(event: GameEvent, game: Game, tileset: TileSet, { by, seat: actor }: Diff): string {
  const name = (seat: number): string => nameOf(game, seat);
  /** Who does it: the player, or whoever did it for one who was away. */
  const doer = (seat: number): string => {
    if (seat !== actor || game.players[seat]?.kind !== "human") return name(seat);
    return by === "bot"
      ? text.away.byBot(name(seat))
      : by === "clock"
        ? text.away.byClock(name(seat))
        : name(seat);
  };
  const role = (where: Cell & { segment: number }): string =>
    text.role(kindAt(game, tileset, where, where.segment));
  switch (event.type) {
    case "game_created":
      return text.say.created;
    case "player_joined":
      return text.say.joined(event.name);
    case "player_left":
      return text.say.left(event.name);
    case "game_started":
      return text.say.started(name(event.seat));
    case "tile_discarded":
      return text.say.discarded;
    case "tile_placed":
      return text.say.placed(doer(event.seat), "");
    case "islander_placed":
      return text.say.islanderPlaced(doer(event.seat), role(event));
    case "islander_retrieved":
      return text.say.islanderRetrieved(doer(event.seat), role(event));
    case "islander_returned":
      return kindAt(game, tileset, event, event.segment) === "market"
        ? text.say.merchantHome(name(event.seat))
        : "";
    case "feature_evaluated":
      return evaluated(event, name);
    case "fish_covered":
      return text.say.covered(event.fish);
    case "ship_taken":
      return event.paid
        ? text.say.bought(doer(event.seat), event.points, event.paid)
        : text.say.won(name(event.seat), event.points);
    case "ship_revealed":
      return text.say.revealed(tileset.ships.find((ship) => ship.id === event.ship)?.points ?? 0);
    case "turn_timed_out":
      return text.say.timedOut(name(event.seat));
    case "player_replaced":
      return text.say.replaced(name(event.seat));
    case "player_returned":
      return text.say.returned(name(event.seat));
    case "player_resigned":
      return text.say.resigned(name(event.seat));
    case "move_undone":
      return text.say.undone(name(event.seat));
    case "rematch_created":
      return text.say.rematch;
    case "game_finished":
      return text.say.finished(text.listed(event.winners.map(name)), event.winners.length > 1);
    case "game_aborted":
      return text.say.aborted;
    default:
      return "";
  }
}

type Evaluated = Extract<GameEvent, { type: "feature_evaluated" }>;

function evaluated(event: Evaluated, name: (seat: number) => string): string {
  const parts = event.islanders.map(({ seat }) =>
    event.winners.includes(seat) ? text.say.gains(name(seat), event.wares) : text.say.noGain(name(seat)),
  );
  return `${text.say.evaluated(event.kind, event.cause)}${text.listed(parts)}.`;
}

/** A cell in words: where it is and what is around it. */
export function describedCell(game: Game, tileset: TileSet, cell: Cell, ways: number): string {
  const beside = text.describe.beside([...neighbours(game, tilesOf(tileset), cell)]);
  return text.describe.cell(text.describe.at(cell.x, cell.y), beside, ways);
}

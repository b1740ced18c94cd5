/** What happened, in the service's sentences. */

import type { Diff, Game, GameEvent, TileSet } from "south-seas-client";
import { text } from "../messages/index.ts";
import { type Cell, keyOf, neighbours, sameCell } from "./cells.ts";
import { costInWords, shipOf, tilesOf } from "./tileset.ts";

/** The sentences of one change; `game` is the state after it. */
export function sentences(diff: Diff, game: Game, tileset: TileSet): string[] {
  return diff.events
    .map((event) => inWords(sentence(event, game, tileset, diff)))
    .filter((said) => said !== "");
}

/** A sentence of the service with its cells in words: "(2, -1)" is "(2 east, 1 north)". */
export function inWords(said: string): string {
  return said.replace(/\((-?\d+), (-?\d+)\)/g, (_, x, y) => `(${text.describe.at(Number(x), Number(y))})`);
}

export function nameOf(game: Game, seat: number): string {
  return game.players[seat]?.name ?? text.seatName(seat);
}

/** The kind of the segment that an islander stands on. */
export function kindAt(game: Game, tileset: TileSet, cell: Cell, segment: number): string {
  const placed = game.board[keyOf(cell)];
  return (placed && tilesOf(tileset).get(placed.tile)?.segments[segment]?.kind) ?? "";
}

function sentence(event: GameEvent, game: Game, tileset: TileSet, diff: Diff): string {
  const { by, seat: actor, events } = diff;
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
  switch (event.type) {
    case "player_joined":
      return text.told(event.type, { player: event.name, color: text.colors[event.color] ?? "" });
    case "player_left":
      return text.told(event.type, { player: event.name });
    case "tile_placed":
      return text.told(event.type, { player: doer(event.seat), ...written(event) });
    case "islander_placed":
    case "islander_retrieved":
      return text.told(`${event.type}.${kindAt(game, tileset, event, event.segment)}`, {
        player: doer(event.seat),
        ...written(event),
      });
    case "islander_returned":
      return kindAt(game, tileset, event, event.segment) === "market"
        ? text.told(`${event.type}.market`, { player: name(event.seat), ...written(event) })
        : "";
    case "feature_evaluated":
      return text.told(`${event.type}.${event.kind}.${event.cause}`, {
        gain: gain(event, name),
        ...written(islanderCell(event, events)),
      });
    case "fish_covered":
      return text.told(event.type, {
        fish: text.wares({ bananas: 0, shells: 0, fish: event.fish }),
        ...written(event),
      });
    case "ship_taken":
      return event.paid
        ? text.told(`${event.type}.delivery`, {
            player: doer(event.seat),
            wares: text.wares(event.paid),
            points: text.points(event.points),
          })
        : text.told(`${event.type}.market`, { player: name(event.seat), points: text.points(event.points) });
    case "ship_revealed": {
      const ship = shipOf(tileset, event.ship);
      return ship ? text.told(event.type, { points: text.points(ship.points), cost: costInWords(ship) }) : "";
    }
    case "player_replaced":
      return text.told(event.type, {
        player: name(event.seat),
        bot: text.lobby.bots[event.bot] ?? event.bot,
      });
    case "game_started":
    case "turn_timed_out":
    case "player_returned":
    case "player_resigned":
    case "move_undone":
      return text.told(event.type, { player: name(event.seat) });
    case "rematch_created":
      return text.told(event.type, { game: event.game });
    case "game_finished":
      return `${text.told(`${event.type}.${event.reason}`, {})} ${won(event.winners.map(name))}`;
    case "game_created":
    case "tile_discarded":
    case "game_aborted":
      return text.told(event.type, {});
    default:
      return "";
  }
}

function written({ x, y }: Cell): { x: string; y: string } {
  return { x: String(x), y: String(y) };
}

type Evaluated = Extract<GameEvent, { type: "feature_evaluated" }>;

/** Where a feature is: the cell of an islander that returns from it, which no other feature has. */
function islanderCell(evaluated: Evaluated, events: readonly GameEvent[]): Cell {
  for (const event of events.slice(events.indexOf(evaluated)))
    if (event.type === "islander_returned" && evaluated.cells.some((cell) => sameCell(cell, event)))
      return event;
  return evaluated.cells[0] ?? { x: 0, y: 0 };
}

function gain({ winners, wares }: Evaluated, name: (seat: number) => string): string {
  const players = text.listed(winners.map(name));
  const gained = wares.bananas + wares.shells + wares.fish > 0;
  const how = !gained ? "nothing" : winners.length === 1 ? "one" : "each";
  return text.told(`gain.${how}`, { player: players, players, wares: text.wares(wares) });
}

function won(winners: readonly string[]): string {
  const players = text.listed(winners);
  const how = winners.length === 0 ? "nobody" : winners.length === 1 ? "one" : "shared";
  return text.told(`won.${how}`, { player: players, players });
}

/** A cell in words: where it is and what is around it. */
export function describedCell(game: Game, tileset: TileSet, cell: Cell, ways: number): string {
  const beside = text.describe.beside([...neighbours(game, tilesOf(tileset), cell)]);
  return text.describe.cell(text.describe.at(cell.x, cell.y), beside, ways);
}

/** What happened, in the service's sentences. */

import type { Diff, Game, GameEvent, TileSet } from "south-seas-client";
import { text } from "../messages/index.ts";
import { type Cell, keyOf, neighbours, sameCell } from "./cells.ts";
import { gainsIn } from "./news.ts";
import { costInWords, shipOf, tilesOf } from "./tileset.ts";

/** The sentences of one change; `game` is the state after it. A pass has no event, and comes after a time-out. */
export function sentences(diff: Diff, game: Game, tileset: TileSet): string[] {
  const idle = diff.events.filter(isIdle);
  const said = diff.events.map((event) => {
    if (idle.length < 2 || !isIdle(event)) return sentence(event, game, tileset, diff);
    return event === idle[0] ? `${text.short.nothing(idle.length)}.` : "";
  });
  said.splice(isLate(diff) ? 1 : 0, 0, passed(diff, game));
  return said.filter((words) => words !== "");
}

/** Whether it is an evaluation that brings nothing: several of them are told of together. */
function isIdle(event: GameEvent): boolean {
  return event.type === "feature_evaluated" && gainsIn([event]).size === 0;
}

/** Whether it is what follows from a time-out. */
export function isLate({ events }: Diff): boolean {
  return events[0]?.type === "turn_timed_out";
}

function passed(diff: Diff, game: Game): string {
  const { move, seat } = diff;
  if (seat === null || move?.startsWith("pass.") !== true) return "";
  return text.told(move, { player: doerOf(diff, game, seat) });
}

export function nameOf(game: Game, seat: number): string {
  return game.players[seat]?.name ?? text.seatName(seat);
}

/** The kind of the segment that an islander stands on. */
export function kindAt(game: Game, tileset: TileSet, cell: Cell, segment: number): string {
  const placed = game.board[keyOf(cell)];
  return (placed && tilesOf(tileset).get(placed.tile)?.segments[segment]?.kind) ?? "";
}

export function sentence(event: GameEvent, game: Game, tileset: TileSet, diff: Diff): string {
  const name = (seat: number): string => nameOf(game, seat);
  const doer = (seat: number): string => doerOf(diff, game, seat);
  switch (event.type) {
    case "player_joined":
      return text.told(event.type, { player: event.name, color: text.colors[event.color] ?? "" });
    case "player_left":
      return text.told(event.type, { player: event.name });
    case "tile_placed":
      return text.told(event.type, { player: doer(event.seat), ...placeOf(event) });
    case "islander_placed":
    case "islander_retrieved":
      return text.told(`${event.type}.${kindAt(game, tileset, event, event.segment)}`, {
        player: doer(event.seat),
        ...placeOf(event),
      });
    case "islander_returned":
      return kindAt(game, tileset, event, event.segment) === "market"
        ? text.told(`${event.type}.market`, { player: name(event.seat), ...placeOf(event) })
        : "";
    case "feature_evaluated":
      return text.told(`${event.type}.${event.kind}.${event.cause}`, {
        gain: gain(event, name),
        ...placeOf(islanderCell(event, diff.events)),
      });
    case "fish_covered":
      return text.told(event.type, {
        fish: text.wares({ bananas: 0, shells: 0, fish: event.fish }),
        ...placeOf(event),
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
    case "turn_timed_out": {
      const player = { player: name(event.seat) };
      return text.told(`${event.type}.${event.policy}`, player) || text.told(event.type, player);
    }
    case "player_resigned":
      return isLate(diff) ? "" : text.told(event.type, { player: name(event.seat) });
    case "move_undone": {
      const [variant, cell] = undone(event.move);
      return text.told(`${event.type}${variant}`, { player: name(event.seat), ...placeOf(cell) });
    }
    case "game_started":
    case "player_returned":
      return text.told(event.type, { player: name(event.seat) });
    case "rematch_created":
      return text.told(event.type, { game: event.game });
    case "game_finished":
      return `${text.told(`${event.type}.${event.reason}`, {})} ${won(event.winners.map(name))}`;
    case "game_created":
    case "tile_discarded":
    case "game_aborted":
    case "game_paused":
    case "game_resumed":
      return text.told(event.type, {});
    default:
      return "";
  }
}

/** Who does it: the player, or whoever did it for one who was away. */
function doerOf({ by, seat: actor }: Diff, game: Game, seat: number): string {
  const name = nameOf(game, seat);
  if (seat !== actor || game.players[seat]?.kind !== "human") return name;
  return by === "bot" ? text.away.byBot(name) : by === "clock" ? text.away.byClock(name) : name;
}

function placeOf({ x, y }: Cell): { place: string } {
  return { place: text.describe.at(x, y) };
}

/** Which sentence tells of a move that is taken back, by the move's id, and where it was. */
function undone(move: string): [variant: string, cell: Cell] {
  for (const [pattern, variant] of UNDONE) {
    const [found, x = 0, y = 0] = pattern.exec(move) ?? [];
    if (found !== undefined) return [variant, { x: Number(x), y: Number(y) }];
  }
  return ["", { x: 0, y: 0 }];
}

const UNDONE = [
  [/^p(-?\d+)\.(-?\d+)/, ".tile"],
  [/^r(-?\d+)\.(-?\d+)/, ".retrieved"],
  [/^i\d/, ".islander"],
  [/^d\./, ".delivery"],
] as const;

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

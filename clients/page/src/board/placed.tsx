/** What lies on the board: tiles, covered fish, islanders. */

import type { Game, GameEvent, PlacedTile } from "south-seas-client";
import type { JSX } from "preact";
import { type Cell, SIZE, cellOf, keyOf } from "../model/cells.ts";
import { useGradually } from "../parts/gradually.ts";
import type { Step } from "../session/game_history.ts";
import { Figure } from "./figure.tsx";
import type { Pictures } from "./pictures.ts";

/** So many tiles are drawn at once: each is some forty shapes. */
const TILES_AT_ONCE = 12;

/** Where something of a tile is on the board, in its units. */
export function onBoard(cell: Cell, point: Cell): Cell {
  return { x: cell.x * SIZE + point.x, y: cell.y * SIZE + point.y };
}

export function at({ x, y }: Cell): string {
  return `translate(${x} ${y})`;
}

/** A picture of a tile at (0, 0); without a reference to it, its plain shape until the picture is there. */
export function TilePicture({ href }: { href: string | null }): JSX.Element {
  if (href !== null) return <use href={href} width={SIZE} height={SIZE} />;
  return (
    <g class="tile-loading">
      <rect width={SIZE} height={SIZE} />
      {[30, 50, 70].map((x) => (
        <circle key={x} cx={x} cy={SIZE / 2} r="5" />
      ))}
    </g>
  );
}

interface PlacedProps {
  readonly game: Game;
  readonly pictures: Pictures;
  /** What has just happened: it comes onto the board one after the other. */
  readonly recent: readonly Step[];
}

interface TilesProps extends PlacedProps {
  /** The cells of the last tiles, by who placed them. */
  readonly last: ReadonlyMap<number, Cell>;
}

/** All tiles, with the fish that boats have taken crossed out, and a frame in a player's colour around their last one. */
export function Tiles({ game, pictures, recent, last }: TilesProps): JSX.Element {
  const seats = new Map([...last].map(([seat, cell]) => [keyOf(cell), seat]));
  const fresh = arrivals(recent, "tile_placed", ({ x, y }) => keyOf({ x, y }));
  const tiles = Object.entries(game.board);
  const drawn = useGradually(pictures.isLoaded ? tiles.length : 0, TILES_AT_ONCE);
  return (
    <g class="tiles">
      {tiles.map(([key, placed], index) => {
        const arrival = fresh.get(key);
        const seat = seats.get(key);
        return (
          <g key={key} transform={at({ x: cellOf(key).x * SIZE, y: cellOf(key).y * SIZE })}>
            <g class={arrival ? "tile newest" : "tile"} style={arrival}>
              <TilePicture href={index < drawn ? pictures.href(placed.tile, placed.rotation) : null} />
              <Covered placed={placed} pictures={pictures} />
              {seat !== undefined && (
                <g class={`newest-frame ink-${game.players[seat]?.color}`}>
                  {[0, 1].map((line) => (
                    <rect key={line} x="4" y="4" width={SIZE - 8} height={SIZE - 8} rx="5" />
                  ))}
                </g>
              )}
            </g>
          </g>
        );
      })}
    </g>
  );
}

type Event<Type> = Extract<GameEvent, { type: Type }>;

/** When what came with such an event is seen, by its key. */
function arrivals<Type extends "tile_placed" | "islander_placed">(
  recent: readonly Step[],
  type: Type,
  key: (event: Event<Type>) => string,
): ReadonlyMap<string, { animationDelay: string }> {
  const isOne = (event: GameEvent): event is Event<Type> => event.type === type;
  return new Map(
    recent.flatMap(({ diff, delayMs }) =>
      diff.events.filter(isOne).map((event) => [key(event), { animationDelay: `${delayMs}ms` }]),
    ),
  );
}

function Covered({ placed, pictures }: { placed: PlacedTile; pictures: Pictures }): JSX.Element {
  return (
    <>
      {placed.covered.map(({ segment, group }) => (
        <BoatToken
          key={`${segment}.${group}`}
          {...pictures.group(placed.tile, placed.rotation, segment, group)}
        />
      ))}
    </>
  );
}

/** What covers fish. */
export function BoatToken(place: Cell): JSX.Element {
  return (
    <g class="covered" transform={at(place)}>
      <path class="hull" d="M-11 1h22c-1 5-4 7-7 7h-8c-3 0-6-2-7-7Z" />
      <path class="sail" d="M-1-11V-.5h-8ZM1-9v8.5h6.5Z" />
    </g>
  );
}

interface IslandersProps extends PlacedProps {
  /** Only this seat's stand out; null for all. */
  readonly pointedOut: number | null;
  readonly kindOf: (cell: Cell, segment: number) => string;
  readonly onInspect: (cell: Cell, segment: number) => void;
}

/** All islanders, upright on whatever the turned tile shows, and those that go home; in words they are at their tiles. */
export function Islanders(props: IslandersProps): JSX.Element {
  const { game, pictures, recent, pointedOut, kindOf, onInspect } = props;
  const fresh = arrivals(recent, "islander_placed", (event) => `${keyOf(event)}:${event.segment}`);
  return (
    <g class="islanders" aria-hidden="true">
      {Object.entries(game.board).flatMap(([key, placed]) =>
        placed.islanders.map(({ segment, seat }) => {
          const cell = cellOf(key);
          const dimmed = pointedOut !== null && pointedOut !== seat;
          const found = pointedOut === seat;
          return (
            <g
              key={`${key}:${segment}`}
              transform={at(onBoard(cell, pictures.spot(placed.tile, placed.rotation, segment)))}
              onClick={() => onInspect(cell, segment)}
            >
              <g
                class={`islander${dimmed ? " dimmed" : ""}${found ? " found" : ""}`}
                style={fresh.get(`${key}:${segment}`)}
              >
                {found && <circle class="halo" r="20" />}
                <g class="figure">
                  <Figure color={game.players[seat]?.color ?? ""} lies={kindOf(cell, segment) === "sea"} />
                </g>
              </g>
            </g>
          );
        }),
      )}
      {recent.flatMap(({ diff, delayMs }) =>
        diff.events.map((event) => {
          const placed = event.type === "islander_retrieved" && game.board[keyOf(event)];
          if (!placed) return null;
          const { x, y, segment, seat } = event;
          const spot = pictures.spot(placed.tile, placed.rotation, segment);
          return (
            <g key={diff.version} transform={at(onBoard({ x, y }, spot))}>
              <g class="gone" style={{ animationDelay: `${delayMs}ms` }}>
                <circle class="halo" r="20" />
                <g class="figure">
                  <Figure
                    color={game.players[seat]?.color ?? ""}
                    lies={kindOf({ x, y }, segment) === "sea"}
                  />
                </g>
              </g>
            </g>
          );
        }),
      )}
    </g>
  );
}

/** A ship in words: its signs, and what the player here lacks for it. */

import type { Game, Ship } from "south-seas-client";
import type { JSX } from "preact";
import { text } from "../messages/index.ts";
import { lackingFor } from "../model/lacking.ts";
import { costInWords } from "../model/tileset.ts";
import type { Table } from "../table/table.ts";
import { KindIcon, WareIcon } from "./icon.tsx";

interface ShipToldProps {
  readonly id: string;
  readonly table: Table;
  readonly game: Game;
  readonly ship: Ship;
}

export function ShipTold({ id, table, game, ship }: ShipToldProps): JSX.Element {
  const { any, same } = ship.cost;
  const lacking = lackingInWords(table, game, ship);
  return (
    <div id={id} class="ship-told" role="tooltip">
      <p>
        <b>{text.ship.heading(ship.points)}</b> {text.ship.asks(costInWords(ship))}
      </p>
      {any > 0 && (
        <p class="sign">
          <WareIcon ware="any" /> {text.ship.any(any)}
        </p>
      )}
      {same.map((count, group) => {
        const letter = "ABC"[group] ?? "?";
        return (
          <p key={letter} class="sign">
            <KindIcon letter={letter} /> {text.ship.same(letter, count)}
          </p>
        );
      })}
      {lacking !== null && <p class="lacking">{lacking}</p>}
    </div>
  );
}

/** For whoever plays here, the one who decides first; null where nobody does. */
function lackingInWords(table: Table, game: Game, ship: Ship): string | null {
  if (game.status !== "active") return null;
  const seat = table.decider ?? game.players.find((player) => table.isMine(player.seat))?.seat;
  const player = seat === undefined ? undefined : game.players[seat];
  if (!player) return null;
  const lacking = lackingFor(ship, player.wares);
  if (lacking) return text.ship.lacking(lacking.wares, lacking.ofChosenKinds, lacking.any);
  const isNow = game.turn?.phase === "deliver" && game.turn.decider === seat;
  return isNow ? text.ship.payableNow : text.ship.payable;
}

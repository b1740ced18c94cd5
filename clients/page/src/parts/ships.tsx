/** The ships in harbour: what everybody sees, and what the player on turn may choose. */

import type { JSX } from "preact";
import { text } from "../messages/index.ts";
import { shipOf } from "../model/tileset.ts";
import { choose } from "../table/deeds.ts";
import type { Table } from "../table/table.ts";
import { ShipFace } from "./wares.tsx";

export function Ships({ table }: { table: Table }): JSX.Element | null {
  const { game, tileset, choices, selection } = table;
  if (!game || !tileset) return null;
  const choosing = choices.ships.length > 0 && table.decider !== null;
  return (
    <section class={choosing ? "ships choosing" : "ships"} aria-label={text.table.ships}>
      <h2>
        {text.table.ships} <small>{text.table.shipPile(game.ship_pile)}</small>
      </h2>
      <div class="harbour">
        {game.display.map((id) => {
          const ship = shipOf(tileset, id);
          if (!ship) return null;
          const choosable = choosing && choices.ships.some((choice) => choice.ship === id);
          return choosable ? (
            <button
              key={id}
              class="ship choosable"
              aria-pressed={selection.ship === id}
              onClick={() => choose.ship(table, id)}
            >
              <ShipFace ship={ship} />
            </button>
          ) : (
            <div key={id} class="ship">
              <ShipFace ship={ship} />
            </div>
          );
        })}
      </div>
    </section>
  );
}

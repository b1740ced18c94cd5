/** The ships in harbour: what everybody sees, and what the player on turn may choose. */

import type { JSX } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { text } from "../messages/index.ts";
import { shipOf } from "../model/tileset.ts";
import { choose } from "../table/deeds.ts";
import type { Table } from "../table/table.ts";
import { ShipTold } from "./ship_told.tsx";
import { ShipFace } from "./wares.tsx";

export function Ships({ table }: { table: Table }): JSX.Element | null {
  const { game, tileset, choices, selection } = table;
  const [told, tell] = useState<string | null>(null);
  const id = useId();
  useLetGo(told !== null, () => tell(null));
  const berths = useBerths(game?.display ?? []);
  if (!game || !tileset) return null;
  const choosing = choices.ships.length > 0 && table.decider !== null;
  const explained = told !== null && game.display.includes(told) ? shipOf(tileset, told) : null;

  function tapped(ship: string, choosable: boolean, event: MouseEvent): void {
    if (choosable) choose.ship(table, ship);
    // A second tap lets go; a mouse does so by leaving, and keys by going on. Of a ship that is chosen the dock tells,
    // which a phone has no room to show beside this.
    const isTouch = (event as PointerEvent).pointerType === "touch";
    tell(isTouch && (choosable || told === ship) ? null : ship);
  }

  return (
    <section class={choosing ? "ships choosing" : "ships"} aria-label={text.table.ships}>
      <h2>
        {text.table.ships} <small>{text.table.shipPile(game.ship_pile)}</small>
      </h2>
      <div class="harbour">
        {berths.map((ship) => {
          const face = shipOf(tileset, ship);
          if (!face) return null;
          const choosable = choosing && choices.ships.some((choice) => choice.ship === ship);
          return (
            <button
              key={ship}
              class={choosable ? "ship choosable" : "ship"}
              aria-pressed={choosable ? selection.ship === ship : undefined}
              aria-describedby={explained?.id === ship ? id : undefined}
              onClick={(event) => tapped(ship, choosable, event)}
              onPointerEnter={(event) => event.pointerType === "mouse" && tell(ship)}
              onPointerLeave={(event) => event.pointerType === "mouse" && tell(null)}
              onFocus={(event) => event.currentTarget.matches(":focus-visible") && tell(ship)}
              onBlur={() => tell(null)}
            >
              <ShipFace ship={face} />
            </button>
          );
        })}
      </div>
      {explained && <ShipTold id={id} table={table} game={game} ship={explained} />}
    </section>
  );
}

/** The ships in their berths: one that comes takes the place of one that has gone, and no other moves. */
function useBerths(display: readonly string[]): readonly string[] {
  const held = useRef<readonly string[]>([]);
  const coming = display.filter((ship) => !held.current.includes(ship));
  const stayed = held.current.map((ship) => (display.includes(ship) ? ship : coming.shift()));
  held.current = [...stayed.filter((ship) => ship !== undefined), ...coming];
  return held.current;
}

/** Lets go on Escape, and on a tap elsewhere: before anybody can see the hint, so that no key is missed. */
function useLetGo(isHeld: boolean, letGo: () => void): void {
  useLayoutEffect(() => {
    if (!isHeld) return;
    const press = (event: KeyboardEvent): void => void (event.key === "Escape" && letGo());
    const tap = (event: PointerEvent): void => {
      if (!(event.target instanceof Element && event.target.closest(".harbour"))) letGo();
    };
    addEventListener("keydown", press);
    addEventListener("pointerdown", tap);
    return () => {
      removeEventListener("keydown", press);
      removeEventListener("pointerdown", tap);
    };
  }, [isHeld]);
}

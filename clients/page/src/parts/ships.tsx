/** The ships on display, and which of them the player on turn may choose. */

import type { JSX } from "preact";
import { useId, useLayoutEffect, useState } from "preact/hooks";
import { text } from "../messages/index.ts";
import { shipOf } from "../model/tileset.ts";
import { choose, confirm } from "../session/actions.ts";
import type { GameSession } from "../session/game_session.ts";
import { ShipTooltip } from "./ship_tooltip.tsx";
import { ShipFace } from "./wares.tsx";

export function Ships({ session }: { session: GameSession }): JSX.Element | null {
  const { game, tileset, choices, selection } = session;
  const [shownShip, showShip] = useState<string | null>(null);
  const id = useId();
  useDismiss(shownShip !== null, () => showShip(null));
  if (!game || !tileset) return null;
  const choosing = choices.ships.length > 0 && session.decider !== null;
  const explained =
    shownShip !== null && game.display.includes(shownShip) ? shipOf(tileset, shownShip) : null;

  function onTap(ship: string, choosable: boolean, event: MouseEvent): void {
    if (choosable) choose.ship(session, ship);
    // A second tap closes the tooltip. On touch it stays closed for a ship that can be chosen: the action bar
    // describes that one, and a phone has no room for both.
    const isTouch = (event as PointerEvent).pointerType === "touch";
    showShip(isTouch && (choosable || shownShip === ship) ? null : ship);
  }

  /** As on the board, Enter chooses, and then confirms. */
  function onKey(ship: string, event: KeyboardEvent): void {
    if (event.key !== "Enter" || selection.ship !== ship || !session.selectedMove) return;
    event.preventDefault();
    event.stopPropagation();
    confirm(session);
  }

  return (
    <>
      <section class={choosing ? "ships choosing" : "ships"} aria-label={text.game.ships} data-part="ships">
        <h2>
          {text.game.ships} <small>{text.game.shipPile(game.ship_pile)}</small>
        </h2>
        <div class="harbour">
          {game.display.map((ship) => {
            const face = shipOf(tileset, ship);
            if (!face) return null;
            const choosable = choosing && choices.ships.some((choice) => choice.ship === ship);
            const shining = session.hint?.ship === ship ? " shining" : "";
            return (
              <button
                key={ship}
                class={`${choosable ? "ship choosable" : "ship"}${shining}`}
                aria-pressed={choosable ? selection.ship === ship : undefined}
                aria-describedby={explained?.id === ship ? id : undefined}
                onClick={(event) => onTap(ship, choosable, event)}
                onKeyDown={(event) => onKey(ship, event)}
                onPointerEnter={(event) => event.pointerType === "mouse" && showShip(ship)}
                onPointerLeave={(event) => event.pointerType === "mouse" && showShip(null)}
                onFocus={(event) => event.currentTarget.matches(":focus-visible") && showShip(ship)}
                onBlur={() => showShip(null)}
              >
                <ShipFace ship={face} />
              </button>
            );
          })}
        </div>
      </section>
      {explained && <ShipTooltip id={id} session={session} game={game} ship={explained} />}
    </>
  );
}

/** Calls `dismiss` on Escape and on a tap elsewhere. The listeners are there before the first paint, so no key is missed. */
function useDismiss(isShown: boolean, dismiss: () => void): void {
  useLayoutEffect(() => {
    if (!isShown) return;
    const press = (event: KeyboardEvent): void => void (event.key === "Escape" && dismiss());
    const tap = (event: PointerEvent): void => {
      if (!(event.target instanceof Element && event.target.closest(".harbour"))) dismiss();
    };
    addEventListener("keydown", press);
    addEventListener("pointerdown", tap);
    return () => {
      removeEventListener("keydown", press);
      removeEventListener("pointerdown", tap);
    };
  }, [isShown]);
}

/** A ship in words: what it asks for, with its signs, and what the player here lacks for it. */

import type { Game, Ship } from "south-seas-client";
import type { JSX } from "preact";
import { text } from "../messages/index.ts";
import { missingWares } from "../model/missing_wares.ts";
import { costParts } from "../model/tileset.ts";
import type { GameSession } from "../session/game_session.ts";
import { KindIcon, WareIcon } from "./icon.tsx";

interface ShipTooltipProps {
  readonly id: string;
  readonly session: GameSession;
  readonly game: Game;
  readonly ship: Ship;
}

export function ShipTooltip({ id, session, game, ship }: ShipTooltipProps): JSX.Element {
  const lacking = missingInWords(session, game, ship);
  return (
    <div id={id} class="ship-tooltip" role="tooltip">
      <p>
        <b>{text.ship.heading(ship.points)}</b>
      </p>
      <ShipSigns ship={ship} />
      {lacking !== null && <p class="lacking">{lacking}</p>}
    </div>
  );
}

/** What a ship asks for, each part with its sign (R6.3). */
export function ShipSigns({ ship }: { ship: Ship }): JSX.Element {
  return (
    <p class="signs">
      {costParts(ship).map(([sign, words]) => (
        <span key={sign} class="sign">
          {sign.length === 1 ? <KindIcon letter={sign} /> : <WareIcon ware={sign} />} {words}
        </span>
      ))}
    </p>
  );
}

/** For whoever plays here, the one who decides first; null where nobody does. */
function missingInWords(session: GameSession, game: Game, ship: Ship): string | null {
  if (game.status !== "active") return null;
  const seat = session.decider ?? game.players.find((player) => session.isMine(player.seat))?.seat;
  const player = seat === undefined ? undefined : game.players[seat];
  if (!player) return null;
  const lacking = missingWares(ship, player.wares);
  if (lacking) return text.ship.lacking(lacking.wares, lacking.ofChosenKinds, lacking.any);
  const isNow = game.turn?.phase === "deliver" && game.turn.decider === seat;
  return isNow ? text.ship.payableNow : text.ship.payable;
}

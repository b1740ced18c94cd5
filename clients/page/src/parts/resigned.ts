/** Why players are out of a game, as the reader sees it: they resigned, or their time ran out. */

import type { Game, Player } from "south-seas-client";
import { text } from "../messages/index.ts";
import { nameOf } from "../model/event_sentences.ts";
import type { GameSession } from "../session/game_session.ts";

/** The seat of the only player here; null where several share the browser, or none. */
export function ownSeat({ credentials }: GameSession): number | null {
  const [seat, ...others] = Object.keys(credentials.seats);
  return seat === undefined || others.length > 0 ? null : Number(seat);
}

/** Who gives up where that is asked for: of several players here the one on turn; null where nobody can. */
export function resignerOf({ game, credentials, decider }: GameSession): Player | null {
  const here =
    game?.players.filter(({ seat, resigned }) => credentials.seats[seat] !== undefined && !resigned) ?? [];
  return here.find(({ seat }) => seat === decider) ?? here[0] ?? null;
}

/** Why the only player here is out; "" while they are not. */
export function ownResignation(session: GameSession): string {
  const me = ownSeat(session);
  const own = resignations(session).find(({ seat }) => seat === me);
  if (!own) return "";
  return own.isLate ? text.result.youWereLate : text.result.youResigned;
}

/** Why each player who is out is so. */
export function allResignations(session: GameSession, game: Game): string {
  const me = ownSeat(session);
  const others = (isLate: boolean): string[] =>
    resignations(session)
      .filter((one) => one.seat !== me && one.isLate === isLate)
      .map(({ seat }) => nameOf(game, seat));
  const [resigned, late] = [others(false), others(true)];
  return [
    ownResignation(session),
    resigned.length > 0 ? text.result.resigned(resigned) : "",
    late.length > 0 ? text.result.late(late) : "",
  ]
    .filter((words) => words !== "")
    .join(" ");
}

function resignations({ shownSteps }: GameSession): { seat: number; isLate: boolean }[] {
  return shownSteps.flatMap(({ diff: { events } }) => {
    const isLate = events.some(({ type }) => type === "turn_timed_out");
    return events.flatMap((event) =>
      event.type === "player_resigned" ? [{ seat: event.seat, isLate }] : [],
    );
  });
}

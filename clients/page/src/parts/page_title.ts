/** The document's title says what somebody who looks at another page should know. */

import { useEffect } from "preact/hooks";
import { text } from "../messages/index.ts";
import { clockOf, useSecondsLeft, warnsFrom } from "../model/deadline.ts";
import type { GameSession } from "../session/game_session.ts";

export function usePageTitle(session: GameSession): void {
  const { game, decider } = session;
  const left = useSecondsLeft(decider === null ? null : (game?.turn?.deadline ?? null));
  const isSoon = left !== null && left <= warnsFrom(game?.turn_timeout_s ?? 0);
  const news =
    session.standIns.length > 0
      ? text.away.standsIn(null)
      : isSoon
        ? text.away.hurry(clockOf(left))
        : decider !== null
          ? text.actionBar.yourTurn
          : null;
  useEffect(() => {
    document.title = news === null ? text.title : `${news} · ${text.title}`;
  }, [news]);
  useEffect(() => () => void (document.title = text.title), []);
}

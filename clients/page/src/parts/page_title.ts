/** The document's title says what somebody who looks at another page should know. */

import { useEffect } from "preact/hooks";
import { text } from "../messages/index.ts";
import { clockOf, useSecondsLeft, warnsFrom } from "../model/deadline.ts";
import type { Table } from "../table/table.ts";

export function usePageTitle(table: Table): void {
  const { game, decider } = table;
  const left = useSecondsLeft(decider === null ? null : (game?.turn?.deadline ?? null));
  const isSoon = left !== null && left <= warnsFrom(game?.turn_timeout_s ?? 0);
  const news =
    table.standIns.length > 0
      ? text.away.standsIn(null)
      : isSoon
        ? text.away.hurry(clockOf(left))
        : decider !== null
          ? text.dock.yourTurn
          : null;
  useEffect(() => {
    document.title = news === null ? text.title : `${news} · ${text.title}`;
  }, [news]);
  useEffect(() => () => void (document.title = text.title), []);
}

/** The document's title says what somebody who looks at another page should know. */

import { useEffect } from "preact/hooks";
import { capitalized } from "../messages/grammar.ts";
import { text } from "../messages/index.ts";
import { clockOf, useSecondsLeft, warnsFrom } from "../model/deadline.ts";
import { useObservable } from "../model/observable.ts";
import type { GameSession } from "../session/game_session.ts";
import { ownGames } from "../session/own_games.ts";

/** Shows the number of games that wait for this player, and the news of one; null where there are none. */
export function usePageTitle(news: string | null): void {
  useObservable(ownGames);
  const title = titleOf(ownGames.waiting.length, news);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => () => void (document.title = titleOf(ownGames.waiting.length, null)), []);
}

export function titleOf(count: number, news: string | null): string {
  return (count > 0 ? `(${count}) ` : "") + (news === null ? text.title : `${news} · ${text.title}`);
}

/** What a player must know of the game on the screen. */
export function useNews(session: GameSession): string | null {
  const { game, decider } = session;
  const left = useSecondsLeft(decider === null ? null : (game?.turn?.deadline ?? null));
  if (session.standIns.length > 0) return capitalized(text.game.standIn);
  if (left !== null && left <= warnsFrom(game?.turn_timeout_s ?? 0))
    return left > 0 ? text.away.hurry(clockOf(left)) : text.away.over;
  if (decider !== null) return text.actionBar.yourTurn;
  return session.hasRematch && session.isSeated ? text.result.again : null;
}

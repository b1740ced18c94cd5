/** What the others have done since this browser's last action; screen readers are told it as it happens. */

import type { JSX } from "preact";
import { sentences } from "../model/event_sentences.ts";
import type { GameSession } from "../session/game_session.ts";

const MAX_SENTENCES = 3;

export function RecentEvents({ session }: { session: GameSession }): JSX.Element | null {
  const recent =
    session.replayed === null && session.game?.status === "active" ? recentSentences(session) : [];
  if (recent.length === 0) return null;
  return (
    <p key={session.game?.version} class="recent-events" aria-hidden="true">
      {recent.join(" ")}
    </p>
  );
}

function recentSentences({ tileset, shownSteps, credentials }: GameSession): readonly string[] {
  const recent: string[] = [];
  if (!tileset) return recent;
  for (const { diff, game } of [...shownSteps].reverse()) {
    if (diff.seat === null || credentials.seats[diff.seat] !== undefined || recent.length >= MAX_SENTENCES)
      break;
    recent.unshift(...sentences(diff, game, tileset));
  }
  return recent;
}

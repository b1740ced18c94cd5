/** What the others have done since this browser's last action; screen readers are told it as it happens. */

import type { JSX } from "preact";
import { sentences } from "../model/story.ts";
import type { Table } from "../table/table.ts";

const MOST = 3;

export function News({ table }: { table: Table }): JSX.Element | null {
  const news = table.replayed === null && table.game?.status === "active" ? newsAt(table) : [];
  if (news.length === 0) return null;
  return (
    <p key={table.game?.version} class="news" aria-hidden="true">
      {news.join(" ")}
    </p>
  );
}

function newsAt({ tileset, course, keys }: Table): readonly string[] {
  const news: string[] = [];
  if (!tileset) return news;
  for (const { diff, game } of [...course].reverse()) {
    if (diff.seat === null || keys.seats[diff.seat] !== undefined || news.length >= MOST) break;
    news.unshift(...sentences(diff, game, tileset));
  }
  return news;
}

/** The tiles that are still in the bag, by type and number (R8.1). */

import type { TilesLeft as Left } from "south-seas-client";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Pictures } from "../board/pictures.ts";
import { text } from "../messages/index.ts";
import { tileInWords, tilesOf } from "../model/tileset.ts";
import { reasonOf, service } from "../service.ts";
import type { GameSession } from "../session/game_session.ts";
import { TileFace } from "./tile_face.tsx";

export function TilesLeft({
  session,
  pictures,
}: {
  session: GameSession;
  pictures: Pictures;
}): JSX.Element | null {
  const [left, setLeft] = useState<Left | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const { game, tileset } = session;
  const tilesGone = game && Object.keys(game.board).length + game.discarded.length;

  useEffect(() => {
    service
      .tiles(session.id, { token: session.readToken })
      .then(setLeft, (error) => setProblem(reasonOf(error)));
  }, [session, tilesGone]);

  if (!tileset) return null;
  if (!left) return <p>{problem ?? text.game.loading}</p>;
  return (
    <ul class="tiles-left" tabindex={0} aria-label={text.game.tiles}>
      {left.tiles.map(({ tile, left: count }) => {
        const type = tilesOf(tileset).get(tile);
        if (!type) return null;
        return (
          <li key={tile} class={count === 0 ? "gone" : ""}>
            <TileFace pictures={pictures} tile={tile} rotation={0} label={tileInWords(type, 0)} />
            <span>
              {count === 0 ? "–" : `×${count}`}
              <span class="unseen">{count === 0 ? text.game.noneLeft : text.game.left(count)}</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

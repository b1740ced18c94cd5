/** The player's choices as a list of words, for those who do not see the board. */

import type { JSX } from "preact";
import { text } from "../messages/index.ts";
import { worthOfMove } from "../model/worth.ts";
import { tileInWords, tilesOf } from "../model/tileset.ts";
import type { GameSession } from "../session/game_session.ts";

export function Moves({ session }: { session: GameSession }): JSX.Element {
  const moves = session.decider === null ? [] : session.listedMoves;
  const turn = session.game?.turn;
  const tile = turn && session.tileset ? tilesOf(session.tileset).get(turn.tile) : undefined;
  if (moves.length === 0) return <p class="empty">{text.game.noMoves}</p>;
  return (
    <div class="moves" tabindex={0} role="group" aria-label={text.game.moves}>
      {tile && turn?.phase === "place_tile" && <p>{tileInWords(tile, 0)}</p>}
      <ul>
        {moves.map((move) => (
          <li key={move.id}>
            <button disabled={session.isBusy} onClick={() => void session.act(move)}>
              <span>
                {move.text} <small>{worthOfMove(move)?.words}</small>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

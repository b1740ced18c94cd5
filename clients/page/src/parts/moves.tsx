/** The player's choices as a list of words, for those who do not see the board. */

import type { JSX } from "preact";
import { text } from "../messages/index.ts";
import { tileInWords, tilesOf } from "../model/tileset.ts";
import type { Table } from "../table/table.ts";

export function Moves({ table }: { table: Table }): JSX.Element {
  const moves = table.decider === null ? [] : table.listedMoves;
  const turn = table.game?.turn;
  const tile = turn && table.tileset ? tilesOf(table.tileset).get(turn.tile) : undefined;
  if (moves.length === 0) return <p class="empty">{text.table.noMoves}</p>;
  return (
    <div class="moves" tabindex={0} role="group" aria-label={text.table.moves}>
      {tile && turn?.phase === "place_tile" && <p>{tileInWords(tile, 0)}</p>}
      <ul>
        {moves.map((move) => (
          <li key={move.id}>
            <button disabled={table.isBusy} onClick={() => void table.act(move)}>
              {move.text}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** How it ended: who won, with which points, and what next. */

import type { Game, Result } from "south-seas-client";
import type { JSX } from "preact";
import { Token } from "../board/figure.tsx";
import { text } from "../messages/index.ts";
import { absencesIn } from "../model/absence.ts";
import { opensRematch } from "../model/memory.ts";
import { nameOf } from "../model/story.ts";
import { goToNext, playAgain } from "../table/rematch.ts";
import type { Table } from "../table/table.ts";
import { Icon, Won } from "./icon.tsx";

export function Outcome({ table, game }: { table: Table; game: Game }): JSX.Element {
  const { result } = game;
  const isNextClosed = game.next_game !== null && !opensRematch(table.keys, game.next_game);
  return (
    <section class="dock outcome">
      <div class="told">
        <h2>{result ? headline(table, game, result) : text.result.aborted}</h2>
        {result && (
          <>
            <p class="hint">{text.result.reasons[result.reason]}</p>
            <Ranking game={game} result={result} />
            <Absence table={table} game={game} />
          </>
        )}
        {isNextClosed && <p class="hint">{text.result.nextClosed}</p>}
      </div>
      <div class="buttons">
        <button onClick={() => table.replay(1)}>
          <Icon name="play" /> {text.result.replay}
        </button>
        {game.next_game
          ? !isNextClosed && (
              <button class="primary" onClick={() => goToNext(table)}>
                {text.result.next}
              </button>
            )
          : table.keys.owner && (
              <button class="primary" disabled={table.isBusy} onClick={() => playAgain(table)}>
                {text.result.rematch}
              </button>
            )}
        <a class="button" href="#">
          {text.result.newGame}
        </a>
      </div>
    </section>
  );
}

function headline(table: Table, game: Game, { winners }: Result): string {
  if (winners.length > 1) return text.result.share(text.listed(winners.map((seat) => nameOf(game, seat))));
  const [winner = 0] = winners;
  const mine = Object.keys(table.keys.seats);
  return mine.length === 1 && mine[0] === String(winner)
    ? text.result.youWin
    : text.result.wins(nameOf(game, winner));
}

function Ranking({ game, result }: { game: Game; result: Result }): JSX.Element {
  const hasWon = (seat: number): boolean => result.winners.includes(seat);
  // Who gave up cannot win, whatever the points.
  const ranked = [...result.scores].sort(
    (one, other) => Number(hasWon(other.seat)) - Number(hasWon(one.seat)) || other.total - one.total,
  );
  return (
    <table class="ranking">
      <thead>
        <tr>
          <th scope="col">{text.table.players}</th>
          <th scope="col">{text.score.ships}</th>
          <th scope="col" title={text.score.waresRule}>
            {text.score.wares}
          </th>
          <th scope="col">{text.score.total}</th>
        </tr>
      </thead>
      <tbody>
        {ranked.map(({ seat, ships, wares, total }) => (
          <tr key={seat} class={hasWon(seat) ? "winner" : ""}>
            <th scope="row">
              <Token color={game.players[seat]?.color ?? null} /> {nameOf(game, seat)}{" "}
              {hasWon(seat) && <Won />}
              {game.players[seat]?.resigned && <small>{text.table.resigned}</small>}
            </th>
            <td>{ships}</td>
            <td>{wares}</td>
            <td>
              <b>{total}</b>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Who was away, and when: nobody should have to guess who played. */
function Absence({ table, game }: { table: Table; game: Game }): JSX.Element | null {
  const absences = absencesIn(table.course);
  if (absences.length === 0) return null;
  return (
    <ul class="absences">
      {absences.map(({ seat, by, turns }) => (
        <li key={`${seat}.${by}`}>{text.away[by](nameOf(game, seat), turns)}</li>
      ))}
    </ul>
  );
}

/** How it ended: who won, with which points, and what next. */

import type { Game, Result } from "south-seas-client";
import type { JSX } from "preact";
import { Token } from "../board/figure.tsx";
import { text } from "../messages/index.ts";
import { opensRematch } from "../model/memory.ts";
import { nameOf } from "../model/story.ts";
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
              <button class="primary" onClick={() => table.goOn()}>
                {text.result.next}
              </button>
            )
          : table.keys.owner && (
              <button class="primary" disabled={table.isBusy} onClick={() => table.rematch()}>
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

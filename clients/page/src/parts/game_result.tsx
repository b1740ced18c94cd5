/** How it ended: who won, with which points, and what next. */

import type { Game, Result } from "south-seas-client";
import type { JSX } from "preact";
import { Token } from "../board/figure.tsx";
import { text } from "../messages/index.ts";
import { absencesIn } from "../model/absence.ts";
import { nameOf } from "../model/event_sentences.ts";
import { WARES } from "../model/payments.ts";
import { LOBBY } from "../model/route.ts";
import { openRematch, playAgain, rematchToken } from "../session/rematch.ts";
import type { GameSession } from "../session/game_session.ts";
import { CheckButton } from "./check.tsx";
import { Icon, WareIcon, Won } from "./icon.tsx";
import { allResignations, ownSeat } from "./resigned.ts";
import { ShipIcon } from "./wares.tsx";

export function GameResult({ session, game }: { session: GameSession; game: Game }): JSX.Element {
  const { result, next_game: next } = game;
  return (
    <section class="action-bar game-result" aria-label={text.asked.bar} data-part="actions">
      <div class="summary">
        <h2>{result ? headline(session, game, result) : text.result.aborted}</h2>
        {session.hasRematch && (
          <p class="hint rematch">{session.isSeated ? text.result.againBy : text.result.againToWatch}</p>
        )}
        {result && (
          <>
            <p class="hint">
              {result.reason === "resigned"
                ? allResignations(session, game)
                : text.result.reasons[result.reason]}
            </p>
            <Ranking game={game} result={result} />
            <Absence session={session} game={game} />
          </>
        )}
      </div>
      <div class="buttons">
        <button onClick={() => session.replay(1)}>
          <Icon name="play" /> {text.result.replay}
        </button>
        <CheckButton session={session} />
        {next ? (
          <button class="primary" onClick={() => openRematch(session, next)}>
            {text.result.next}
          </button>
        ) : (
          rematchToken(session.credentials) && (
            <button class="primary" disabled={session.isBusy} onClick={() => playAgain(session)}>
              {text.result.rematch}
            </button>
          )
        )}
        <a class="button" href={LOBBY}>
          {text.result.newGame}
        </a>
      </div>
    </section>
  );
}

function headline(session: GameSession, game: Game, { winners }: Result): string {
  if (winners.length > 1) return text.result.share(text.listed(winners.map((seat) => nameOf(game, seat))));
  const [winner = 0] = winners;
  return winner === ownSeat(session) ? text.result.youWin : text.result.wins(nameOf(game, winner));
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
          <th scope="col">{text.game.players}</th>
          <th scope="col" title={text.score.ships}>
            <ShipIcon /> <span class="words">{text.score.ships}</span>
          </th>
          <th scope="col" title={text.score.waresRule}>
            {WARES.map((ware) => (
              <WareIcon key={ware} ware={ware} />
            ))}{" "}
            <span class="words">{text.score.wares}</span>
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
              {game.players[seat]?.resigned && <small>{text.game.resigned}</small>}
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
function Absence({ session, game }: { session: GameSession; game: Game }): JSX.Element | null {
  const absences = absencesIn(session.shownSteps);
  if (absences.length === 0) return null;
  return (
    <ul class="absences">
      {absences.map(({ seat, by, turns }) => (
        <li key={`${seat}.${by}`}>{text.away[by](nameOf(game, seat), turns)}</li>
      ))}
    </ul>
  );
}

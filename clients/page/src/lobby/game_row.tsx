/** A game in a list. */

import type { JSX } from "preact";
import type { GameSummary } from "south-seas-client";
import { Token } from "../board/figure.tsx";
import { text } from "../messages/index.ts";
import { durationOf, exactDurationOf } from "../model/deadline.ts";
import { pathOf } from "../model/route.ts";
import { Icon, Won } from "../parts/icon.tsx";
import { service } from "../service.ts";
import type { ListedGame } from "../session/own_games.ts";

interface GameRowProps extends ListedGame {
  readonly verb: string;
  readonly onForget: ((id: string) => void) | undefined;
}

export function GameRow({ game, isMyTurn, isUnsent, verb, onForget }: GameRowProps): JSX.Element {
  const winners = game.result?.winners ?? [];
  const totals = new Map(game.result?.scores.map(({ seat, total }) => [seat, total]));
  return (
    <li class={isMyTurn ? "game-row turn" : "game-row"}>
      <a href={pathOf(game.id)}>
        <span class="sitting">
          {game.players.map(({ seat, color, name, points }) => (
            <span key={seat} class={winners.includes(seat) ? "winner" : ""}>
              <Token color={color} /> {name ?? text.lobby.open}
              {winners.includes(seat) && <Won />}
              {game.status !== "waiting" && color !== null && (
                <small
                  class="points"
                  role="img"
                  aria-label={text.points(totals.get(seat) ?? points)}
                  title={totals.has(seat) ? text.score.final : text.score.now}
                >
                  {totals.get(seat) ?? points}
                </small>
              )}
            </span>
          ))}
        </span>
        <small class="status">
          {isUnsent
            ? text.unsent.waits
            : [isMyTurn ? text.lobby.yourTurn : text.lobby.status[game.status], ...details(game)].join(" · ")}
        </small>
        <span class="verb">{verb}</span>
      </a>
      {onForget && (
        <button
          class="round"
          aria-label={text.lobby.forget}
          title={text.lobby.forget}
          onClick={() => onForget(game.id)}
        >
          <Icon name="close" />
        </button>
      )}
    </li>
  );
}

/** How many play, how much time each decision has, and when something last happened. */
function details({ players, turn_timeout_s: timeout, updated_at: changed }: GameSummary): string[] {
  const seated = players.filter(({ kind }) => kind !== "open").length;
  return [
    text.lobby.seated(seated, players.length),
    timeout === null ? text.lobby.noClock : text.lobby.clock(exactDurationOf(timeout)),
    text.lobby.ago(durationOf((service.clock.now().getTime() - Date.parse(changed)) / 1000)),
  ];
}

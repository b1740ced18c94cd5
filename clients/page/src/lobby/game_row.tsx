/** A game in a list. */

import type { JSX } from "preact";
import { Token } from "../board/figure.tsx";
import { text } from "../messages/index.ts";
import { fragmentOf } from "../model/route.ts";
import { Icon, Won } from "../parts/icon.tsx";
import type { ListedGame } from "./game_lists.ts";

interface GameRowProps extends ListedGame {
  readonly verb: string;
  readonly onForget: ((id: string) => void) | undefined;
}

export function GameRow({ game, isMyTurn, verb, onForget }: GameRowProps): JSX.Element {
  const winners = game.result?.winners ?? [];
  const totals = new Map(game.result?.scores.map(({ seat, total }) => [seat, total]));
  return (
    <li class={isMyTurn ? "game-row turn" : "game-row"}>
      <a href={fragmentOf(game.id)}>
        <span class="sitting">
          {game.players.map(({ seat, color, name, points }) => (
            <span key={seat} class={winners.includes(seat) ? "winner" : ""}>
              <Token color={color} /> {name ?? text.lobby.open}
              {winners.includes(seat) && <Won />}
              {game.status !== "waiting" && color !== null && (
                <small class="points" title={totals.has(seat) ? text.score.final : text.score.now}>
                  {totals.get(seat) ?? points}
                </small>
              )}
            </span>
          ))}
        </span>
        <small class="status">{isMyTurn ? text.lobby.yourTurn : text.lobby.status[game.status]}</small>
        <span class="verb">{verb}</span>
      </a>
      {onForget && (
        <button
          class="round small"
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

/** Who plays: what they hold, their points, and where their islanders are. */

import type { BoardFeature, Game, Player, Scores } from "south-seas-client";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Token } from "../board/figure.tsx";
import { text } from "../messages/index.ts";
import { nameOf } from "../model/event_sentences.ts";
import { initialsOf } from "../model/initials.ts";
import type { Gain } from "../model/news.ts";
import { featureAt } from "../model/worth.ts";
import type { GameSession } from "../session/game_session.ts";
import { Icon, Won } from "./icon.tsx";
import { scrollSign } from "./scroll_sign.ts";
import { Gained, WareCounts } from "./wares.tsx";

export function Players({ session }: { session: GameSession }): JSX.Element | null {
  const { game } = session;
  if (!game) return null;
  const { gains } = session;
  const scores = session.scores?.version === game.version ? session.scores : null;
  const { length } = game.players;
  return (
    <section
      ref={scrollSign}
      class={`players${length > 2 ? " many" : ""}${length > 3 ? " crowd" : ""}`}
      tabindex={0}
      aria-label={text.game.players}
    >
      {game.players.map((player) => (
        <PlayerCard
          key={player.seat}
          session={session}
          game={game}
          player={player}
          scores={scores}
          gain={(game.result === null && gains.get(player.seat)) || null}
        />
      ))}
    </section>
  );
}

interface CardProps {
  readonly session: GameSession;
  readonly game: Game;
  readonly player: Player;
  /** Null where they are not known for this state of the game. */
  readonly scores: Scores | null;
  /** What the player has gained of late. */
  readonly gain: Gain | null;
}

function PlayerCard({ session, game, player, scores, gain }: CardProps): JSX.Element {
  const { seat } = player;
  const isOwn = session.isMine(seat) && game.players.some((other) => !session.isMine(other.seat));
  const decides = game.turn?.decider === seat;
  const card = useRef<HTMLElement>(null);
  const found = session.pointedOut === seat;
  const ended = scores?.players.find((score) => score.seat === seat)?.if_ended_now ?? null;
  const isRunning = ended !== null && game.status === "active";
  const name = nameOf(game, seat);
  const final = game.result?.scores.find((score) => score.seat === seat);
  const hasWon = game.result?.winners.includes(seat) === true;
  useEffect(() => {
    const { current } = card;
    // Where the cards are one row that scrolls, this one is the first in sight.
    if (current && (decides || hasWon)) current.parentElement?.scrollTo({ left: current.offsetLeft });
  }, [decides, hasWon]);
  return (
    <article
      ref={card}
      class={`player ink-${player.color ?? "none"}${decides ? " deciding" : ""}${hasWon ? " winner" : ""}${isOwn ? " own" : ""}`}
      aria-current={decides ? "true" : undefined}
      data-seat={seat}
    >
      <header>
        <Token color={player.color} />
        <h3 title={name}>
          {player.kind === "open" ? (
            text.game.unknownPlayer
          ) : (
            <>
              <span class="unseen">{name}</span>
              <span aria-hidden="true">
                <Name game={game} seat={seat} />
              </span>
            </>
          )}{" "}
          <small>{addition(session, player)}</small>
        </h3>
        {hasWon && <Won />}
        {player.color !== null && (
          <span
            class="points"
            role="img"
            aria-label={
              final
                ? text.asked.finalPoints(final.total)
                : isRunning
                  ? text.asked.pointsIfEnded(player.points, ended.total)
                  : text.asked.points(player.points)
            }
          >
            <b key={player.points} title={final ? text.score.final : text.score.now}>
              {final?.total ?? player.points}
            </b>
            {gain && <Gained amount={gain.points} />}
            {isRunning && <small title={text.score.ifEnded}>→ {ended.total}</small>}
          </span>
        )}
      </header>
      {player.color !== null && (
        <div class="holds">
          <WareCounts wares={player.wares} gained={gain?.wares} />
          <Supply player={player} />
          {gain && <span class="unseen">{text.news.gained(name, gain.wares, gain.points)}</span>}
        </div>
      )}
      {player.color !== null && (
        <button
          class="round find"
          aria-pressed={found}
          aria-label={text.score.find(name)}
          title={text.score.find(name)}
          onClick={() => session.pointOut(found ? null : seat)}
        >
          <Icon name="find" />
        </button>
      )}
      {found && scores && (
        <Breakdown
          seat={seat}
          scores={scores}
          features={session.inspection.featuresOf(game) ?? []}
          isOver={game.status !== "active"}
        />
      )}
    </article>
  );
}

/** Names with more letters are not shown as a whole on a small screen, where a row has three cards, and where it has two. */
const LONG = 7;
const VERY_LONG = 13;

/** A name, and what stands for it where it does not fit as a whole: the style sheet chooses. */
export function Name({ game, seat }: { game: Game; seat: number }): JSX.Element {
  const name = nameOf(game, seat);
  const initials = initialsOf(game.players.map((player) => nameOf(game, player.seat)))[seat];
  const { length } = [...name];
  const size = length > VERY_LONG ? " long very-long" : length > LONG ? " long" : "";
  return (
    <span class={`name${size}`} data-initials={initials}>
      <span class="whole">{name}</span>
    </span>
  );
}

/** How many islanders can be sent out. */
function Supply({ player: { color, supply } }: { player: Player }): JSX.Element {
  const words = text.score.islandersHome(supply);
  return (
    <span class={supply ? "count" : "count none"} role="img" aria-label={words} title={words}>
      <Token color={color} />
      <span class="number">{supply}</span>
    </span>
  );
}

function addition(session: GameSession, player: Player): string {
  if (player.resigned) return text.game.resigned;
  if (player.kind === "bot") {
    const level = text.lobby.bots[player.bot ?? ""];
    return level === undefined || level === player.name ? text.game.bot : level;
  }
  if (player.bot !== null) return text.game.standIn;
  return session.isMine(player.seat) ? text.game.you : "";
}

interface BreakdownProps {
  readonly seat: number;
  readonly scores: Scores;
  /** Those of the board; empty while they are not known. */
  readonly features: readonly BoardFeature[];
  /** Whether nothing is paid any more. */
  readonly isOver: boolean;
}

/** The score if the game ended now, part by part (R8.3), and what each islander would bring (R8.4), or did not (R7.2). */
function Breakdown({ seat, scores, features, isOver }: BreakdownProps): JSX.Element | null {
  const ended = scores.players.find((score) => score.seat === seat)?.if_ended_now;
  if (!ended) return null;
  const islanders = scores.islanders.filter((islander) => islander.seat === seat);
  return (
    <div class="breakdown">
      <dl>
        <dt>{text.score.ships}</dt>
        <dd>{ended.ships}</dd>
        <dt>{text.score.waresRule}</dt>
        <dd>{ended.wares}</dd>
        <dt>{text.score.total}</dt>
        <dd>
          <b>{ended.total}</b>
        </dd>
      </dl>
      {!isOver && (
        <p>
          {text.score.pending} <WareCounts wares={ended.pending} />
        </p>
      )}
      <ul>
        {islanders.map((islander) => (
          <li key={`${islander.x},${islander.y}:${islander.segment}`}>
            {text.islander.at(islander.kind, text.describe.at(islander.x, islander.y))}{" "}
            {isOver ? text.islander.broughtNothing : worth(islander, features)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function worth(islander: Scores["islanders"][number], features: readonly BoardFeature[]): string {
  const { value, unit, majority, segment } = islander;
  if (!majority) return text.islander.outnumbered;
  return text.islander.wouldBring(value, unit, featureAt(features, islander, segment)?.open ?? null);
}

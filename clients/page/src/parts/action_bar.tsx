/** What is to be done now, in plain words, and the buttons for it. */

import type { Game, Turn } from "south-seas-client";
import type { ComponentChildren, JSX } from "preact";
import type { Pictures } from "../board/pictures.ts";
import { Token } from "../board/figure.tsx";
import type { ViewRef } from "../board/view.ts";
import { text } from "../messages/index.ts";
import { isResting } from "../model/absence.ts";
import { keyOf } from "../model/cells.ts";
import { NOTHING, isOnlyHome } from "../model/choices.ts";
import { preferences } from "../model/storage.ts";
import { kindAt, nameOf } from "../model/event_sentences.ts";
import { shipOf, tileInWords, tilesOf } from "../model/tileset.ts";
import { confirm, pass, rotate as turnTile } from "../session/actions.ts";
import type { GameSession } from "../session/game_session.ts";
import { Countdown } from "./countdown.tsx";
import { CurrentTile } from "./current_tile.tsx";
import { Icon } from "./icon.tsx";
import { Invite } from "./invite.tsx";
import { GameResult } from "./game_result.tsx";
import { MoveWorthLine } from "./move_worth.tsx";
import { AskToNotify, Hurry } from "./notices.tsx";
import { PaymentStatus, Steppers } from "./payment.tsx";
import { ownResignation } from "./resigned.ts";
import { TileFace } from "./tile_face.tsx";
import { ShipIcon } from "./wares.tsx";

interface ActionBarProps {
  readonly session: GameSession;
  readonly pictures: Pictures;
  readonly viewRef: ViewRef;
}

interface StepProps extends ActionBarProps {
  readonly game: Game;
  readonly turn: Turn;
}

export function ActionBar(props: ActionBarProps): JSX.Element | null {
  const { session } = props;
  const { game } = session;
  if (!game) return null;
  if (game.status === "waiting") return <Invite session={session} game={game} />;
  if (game.status !== "active" || !game.turn) return <GameResult session={session} game={game} />;
  const step = { ...props, game, turn: game.turn };
  const isMine = session.decider !== null;
  // One element for all turns, so that the focus stays in it.
  return (
    <section
      class={`action-bar ${isMine ? "mine" : session.isSeated ? "theirs" : "watched"}${isMine && session.isBusy ? " busy" : ""}`}
      aria-label={text.asked.bar}
      data-part="actions"
    >
      {isMine ? <Mine key={game.turn.phase} {...step} /> : <Theirs {...step} />}
      {!isMine && <AskToNotify session={session} />}
    </section>
  );
}

/** Somebody else is to decide. */
function Theirs(step: StepProps): JSX.Element {
  const { session, pictures, game, turn } = step;
  const player = game.players[turn.decider];
  const tile = session.tileset && tilesOf(session.tileset).get(turn.tile);
  return (
    <div class="step">
      {tile && turn.phase === "place_tile" ? (
        <div class="current-tile idle">
          <TileFace pictures={pictures} tile={turn.tile} rotation={0} label={tileInWords(tile, 0)} />
        </div>
      ) : (
        <div class="emblem">
          <Token color={player?.color ?? null} />
        </div>
      )}
      <Heading {...step}>{text.actionBar.theirTurn(nameOf(game, turn.decider))}</Heading>
      <p class="hint">
        <b>{session.isSeated ? ownResignation(session) : text.game.spectating} </b>
        {isResting(game)
          ? text.away.restingFor
          : player?.bot === null
            ? text.actionBar.theyDo[turn.phase]
            : text.actionBar.botThinks}
      </p>
    </div>
  );
}

/** Buttons stay in their places whatever is said above them; each phase has its own. */
function Mine(step: StepProps): JSX.Element {
  const { phase } = step.turn;
  return (
    <>
      {phase === "place_tile" && <PlacingTile {...step} />}
      {phase === "islander" && <SendingIslander {...step} />}
      {phase === "deliver" && <Delivering {...step} />}
      {phase === "take_ship" && <TakingShip {...step} />}
    </>
  );
}

function headingOf({ session, game, turn }: StepProps): string {
  return session.ownSeats.size > 1
    ? text.actionBar.turnOf(nameOf(game, turn.decider))
    : text.actionBar.yourTurn;
}

function Heading({ session, game, turn, children }: StepProps & { children: string }): JSX.Element {
  return (
    <>
      <h2>
        <span>{children}</span>
        {turn.deadline && <Countdown deadline={turn.deadline} timeout={game.turn_timeout_s ?? 0} />}
        {turn.paused && <span class="countdown">{text.actionBar.paused}</span>}
      </h2>
      <Hurry session={session} />
    </>
  );
}

interface HintProps {
  readonly session: GameSession;
  readonly children: ComponentChildren;
  readonly tip?: string | undefined;
}

/** What can be done, or what the missing network keeps from it. */
function Hint({ session, children, tip }: HintProps): JSX.Element {
  if (session.isUnsent) return <p class="hint">{text.unsent.waits}</p>;
  const { isOffline, status } = session.network;
  if ((isOffline || status === "connecting") && session.choices === NOTHING)
    return <p class="hint">{text.unsent.unknown}</p>;
  return (
    <>
      <MoveWorthLine session={session} />
      <p key={session.selectedMove?.id} class="hint">
        {children}
        {tip && preferences().tips && <small class="tip"> {tip}</small>}
      </p>
    </>
  );
}

function PlacingTile(step: StepProps): JSX.Element {
  const { session, pictures, turn, viewRef } = step;
  const { cell } = session.selection;
  const choice = cell && session.choices.cells.get(keyOf(cell));
  const single = choice?.rotations.size === 1;
  const hint = !choice
    ? text.actionBar.placeTile
    : single
      ? text.actionBar.placeChosenOnly
      : text.actionBar.placeChosen;
  return (
    <>
      <div class="step">
        <CurrentTile session={session} pictures={pictures} tile={turn.tile} viewRef={viewRef} />
        <Heading {...step}>{headingOf(step)}</Heading>
        <Hint session={session} tip={choice || session.isMisplaced ? undefined : text.actionBar.placeTip}>
          {session.isMisplaced && <b>{text.actionBar.misfit} </b>}
          {hint}
        </Hint>
      </div>
      <Buttons session={session}>
        <button onClick={() => turnTile(session)} disabled={!session.canTurn}>
          <Icon name="turn" /> {text.actionBar.rotate}
        </button>
        <Confirm session={session} label={text.actionBar.place} />
      </Buttons>
    </>
  );
}

function SendingIslander(step: StepProps): JSX.Element {
  const { session, game, turn } = step;
  const spot = session.choices.spots.find(({ key }) => key === session.selection.spot);
  const kind = spot && session.tileset ? kindAt(game, session.tileset, spot.cell, spot.segment) : "";
  const canRetrieve = session.choices.spots.some((choice) => choice.kind === "retrieve");
  const onlyRetrieve = isOnlyHome(session.choices);
  const hint = !spot
    ? onlyRetrieve
      ? game.players[turn.decider]?.supply === 0
        ? text.actionBar.allOut
        : text.actionBar.noneFree
      : text.actionBar.islander
    : spot.kind === "place"
      ? text.actionBar.islanderChosen(kind)
      : text.actionBar.retrieveChosen(kind);
  const tip = onlyRetrieve
    ? undefined
    : canRetrieve
      ? text.actionBar.retrieveTip
      : text.actionBar.islanderTip;
  return (
    <>
      <div class="step">
        <div class="emblem">
          <Token color={game.players[turn.decider]?.color ?? null} />
        </div>
        <Heading {...step}>{headingOf(step)}</Heading>
        <Hint session={session} tip={spot ? undefined : tip}>
          {hint}
        </Hint>
        {onlyRetrieve && !spot && !session.hint && (
          <button class="ask-no-more" disabled={session.isBusy} onClick={() => session.setLeaves(true)}>
            {text.actionBar.leaveAlways}
          </button>
        )}
      </div>
      <Buttons session={session}>
        <Pass session={session} label={onlyRetrieve ? text.actionBar.leaveThem : text.actionBar.noIslander} />
        <Confirm
          session={session}
          label={onlyRetrieve || spot?.kind === "retrieve" ? text.actionBar.takeHome : text.actionBar.send}
        />
      </Buttons>
    </>
  );
}

function Delivering(step: StepProps): JSX.Element {
  const { session } = step;
  const choice = session.choices.ships.find(({ ship }) => ship === session.selection.ship);
  const ship = choice && session.tileset && shipOf(session.tileset, choice.ship);
  return (
    <>
      <div class="step">
        <div class="emblem">
          <ShipIcon />
        </div>
        <Heading {...step}>{headingOf(step)}</Heading>
        {ship && !session.isUnsent ? (
          <PaymentStatus session={session} ship={ship} choice={choice} />
        ) : (
          <Hint session={session} tip={text.actionBar.deliverTip}>
            {text.actionBar.deliver}
          </Hint>
        )}
      </div>
      {ship && !session.isUnsent && <Steppers key={ship.id} session={session} ship={ship} choice={choice} />}
      <Buttons session={session}>
        <Pass session={session} label={text.actionBar.keep} />
        <Confirm session={session} label={text.actionBar.deliverGo} />
      </Buttons>
    </>
  );
}

function TakingShip(step: StepProps): JSX.Element {
  const { session } = step;
  return (
    <>
      <div class="step">
        <div class="emblem">
          <ShipIcon />
        </div>
        <Heading {...step}>{headingOf(step)}</Heading>
        <Hint session={session}>{text.actionBar.takeShip}</Hint>
      </div>
      <Buttons session={session}>
        <Confirm session={session} label={text.actionBar.take} />
      </Buttons>
    </>
  );
}

/** The buttons of a step, with the one that takes back, which waits there until something may be. */
function Buttons({ session, children }: { session: GameSession; children: ComponentChildren }): JSX.Element {
  return (
    <div class="buttons">
      <button class="undo" onClick={() => session.undo()} disabled={!session.canUndo}>
        <Icon name="undo" /> <span class="words">{text.actionBar.undo}</span>
      </button>
      {children}
    </div>
  );
}

function Confirm({ session, label }: { session: GameSession; label: string }): JSX.Element {
  return (
    <button
      class="primary"
      disabled={session.isBusy || !session.selectedMove}
      onClick={() => confirm(session)}
    >
      <Icon name="check" /> {label}
    </button>
  );
}

function Pass({ session, label }: { session: GameSession; label: string }): JSX.Element {
  return (
    <button disabled={session.isBusy || !session.choices.pass} onClick={() => pass(session)}>
      {label}
    </button>
  );
}

/** What is to be done now, in plain words, and the buttons for it. */

import type { Game, Turn } from "south-seas-client";
import type { ComponentChildren, JSX } from "preact";
import type { Pictures } from "../board/pictures.ts";
import { Token } from "../board/figure.tsx";
import type { ViewRef } from "../board/view.ts";
import { text } from "../messages/index.ts";
import { isResting } from "../model/absence.ts";
import { keyOf } from "../model/cells.ts";
import { likes } from "../model/memory.ts";
import { kindAt, nameOf } from "../model/story.ts";
import { shipOf, tileInWords, tilesOf } from "../model/tileset.ts";
import { confirm, pass, turn as turnTile } from "../table/deeds.ts";
import type { Table } from "../table/table.ts";
import { Countdown } from "./countdown.tsx";
import { Hand } from "./hand.tsx";
import { Icon } from "./icon.tsx";
import { Invite } from "./invite.tsx";
import { Outcome } from "./outcome.tsx";
import { Payment } from "./payment.tsx";
import { TileFace } from "./tile_face.tsx";
import { ShipIcon } from "./wares.tsx";

interface DockProps {
  readonly table: Table;
  readonly pictures: Pictures;
  readonly viewRef: ViewRef;
}

interface StepProps extends DockProps {
  readonly game: Game;
  readonly turn: Turn;
}

export function Dock(props: DockProps): JSX.Element | null {
  const { table } = props;
  const { game } = table;
  if (!game) return null;
  if (game.status === "waiting") return <Invite table={table} game={game} />;
  if (game.status !== "active" || !game.turn) return <Outcome table={table} game={game} />;
  const step = { ...props, game, turn: game.turn };
  return table.decider === null ? <Theirs {...step} /> : <Mine {...step} />;
}

/** Somebody else is to decide. */
function Theirs({ table, pictures, game, turn }: StepProps): JSX.Element {
  const player = game.players[turn.decider];
  const tile = table.tileset && tilesOf(table.tileset).get(turn.tile);
  return (
    <section class="dock theirs">
      <Step heading={text.dock.theirTurn(nameOf(game, turn.decider))} game={game} turn={turn}>
        {tile && turn.phase === "place_tile" ? (
          <div class="hand idle">
            <TileFace pictures={pictures} tile={turn.tile} rotation={0} label={tileInWords(tile, 0)} />
          </div>
        ) : (
          <div class="emblem">
            <Token color={player?.color ?? null} />
          </div>
        )}
        <p class="hint">
          {isResting(game)
            ? text.away.restingFor
            : player?.bot === null
              ? text.dock.theyDo[turn.phase]
              : text.dock.botThinks}
        </p>
      </Step>
    </section>
  );
}

/** Buttons stay in their places whatever is said above them; each phase has its own. */
function Mine(step: StepProps): JSX.Element {
  const { table, turn } = step;
  return (
    <section key={turn.phase} class={table.isBusy ? "dock mine busy" : "dock mine"}>
      {turn.phase === "place_tile" && <PlacingTile {...step} />}
      {turn.phase === "islander" && <SendingIslander {...step} />}
      {turn.phase === "deliver" && <Delivering {...step} />}
      {turn.phase === "take_ship" && <TakingShip {...step} />}
    </section>
  );
}

function headingOf({ table, game, turn }: StepProps): string {
  const mine = Object.keys(table.keys.seats).length;
  return mine > 1 ? text.dock.turnOf(nameOf(game, turn.decider)) : text.dock.yourTurn;
}

/** What is to be done, in words and pictures; it scrolls where it is long. */
function Step(props: { heading: string; game: Game; turn: Turn; children: ComponentChildren }): JSX.Element {
  return (
    <div class="step">
      <h2>
        {props.heading}
        {props.turn.deadline && (
          <Countdown deadline={props.turn.deadline} timeout={props.game.turn_timeout_s ?? 0} />
        )}
      </h2>
      {props.children}
    </div>
  );
}

function Hint({ children, tip }: { children: ComponentChildren; tip?: string | undefined }): JSX.Element {
  return (
    <p class="hint">
      {children}
      {tip && likes().tips && <small class="tip"> {tip}</small>}
    </p>
  );
}

function PlacingTile(step: StepProps): JSX.Element {
  const { table, pictures, turn, viewRef } = step;
  const { cell } = table.selection;
  const choice = cell && table.choices.cells.get(keyOf(cell));
  const single = choice?.rotations.size === 1;
  const hint = !choice ? text.dock.placeTile : single ? text.dock.placeChosenOnly : text.dock.placeChosen;
  return (
    <>
      <Step heading={headingOf(step)} game={step.game} turn={step.turn}>
        <Hand table={table} pictures={pictures} tile={turn.tile} viewRef={viewRef} />
        <Hint tip={choice ? undefined : text.dock.placeTip}>{hint}</Hint>
      </Step>
      <Buttons table={table}>
        <button onClick={() => turnTile(table)} disabled={single === true}>
          <Icon name="turn" /> {text.dock.rotate}
        </button>
        <Confirm table={table} label={text.dock.place} />
      </Buttons>
    </>
  );
}

function SendingIslander(step: StepProps): JSX.Element {
  const { table, game, turn } = step;
  const spot = table.choices.spots.find(({ key }) => key === table.selection.spot);
  const kind = spot && table.tileset ? kindAt(game, table.tileset, spot.cell, spot.segment) : "";
  const canRetrieve = table.choices.spots.some((choice) => choice.kind === "retrieve");
  const onlyRetrieve = canRetrieve && table.choices.spots.every((choice) => choice.kind === "retrieve");
  const hint = !spot
    ? onlyRetrieve
      ? game.players[turn.decider]?.supply === 0
        ? text.dock.allOut
        : text.dock.noneFree
      : text.dock.islander
    : spot.kind === "place"
      ? text.dock.islanderChosen(kind)
      : text.dock.retrieveChosen(text.role(kind));
  const tip = onlyRetrieve ? undefined : canRetrieve ? text.dock.retrieveTip : text.dock.islanderTip;
  return (
    <>
      <Step heading={headingOf(step)} game={step.game} turn={step.turn}>
        <div class="emblem">
          <Token color={game.players[turn.decider]?.color ?? null} />
        </div>
        <Hint tip={spot ? undefined : tip}>{hint}</Hint>
      </Step>
      <Buttons table={table}>
        <Pass table={table} label={onlyRetrieve ? text.dock.leaveThem : text.dock.noIslander} />
        <Confirm table={table} label={spot?.kind === "retrieve" ? text.dock.takeHome : text.dock.send} />
      </Buttons>
    </>
  );
}

function Delivering(step: StepProps): JSX.Element {
  const { table } = step;
  const choice = table.choices.ships.find(({ ship }) => ship === table.selection.ship);
  const ship = choice && table.tileset && shipOf(table.tileset, choice.ship);
  return (
    <>
      <Step heading={headingOf(step)} game={step.game} turn={step.turn}>
        <div class="emblem">
          <ShipIcon />
        </div>
        {ship ? (
          <Payment table={table} ship={ship} choice={choice} />
        ) : (
          <Hint tip={text.dock.deliverTip}>{text.dock.deliver}</Hint>
        )}
      </Step>
      <Buttons table={table}>
        <Pass table={table} label={text.dock.keep} />
        <Confirm table={table} label={text.dock.deliverGo} />
      </Buttons>
    </>
  );
}

function TakingShip(step: StepProps): JSX.Element {
  const { table } = step;
  return (
    <>
      <Step heading={headingOf(step)} game={step.game} turn={step.turn}>
        <div class="emblem">
          <ShipIcon />
        </div>
        <Hint>{text.dock.takeShip}</Hint>
      </Step>
      <Buttons table={table}>
        <Confirm table={table} label={text.dock.take} />
      </Buttons>
    </>
  );
}

/** The buttons of a step, with the one that takes back, which waits there until something may be. */
function Buttons({ table, children }: { table: Table; children: ComponentChildren }): JSX.Element {
  return (
    <div class="buttons">
      <button
        class="undo"
        onClick={() => table.undo()}
        disabled={table.isBusy || (table.game?.turn?.undoable ?? 0) === 0}
      >
        <Icon name="undo" /> <span class="words">{text.dock.undo}</span>
      </button>
      {children}
    </div>
  );
}

function Confirm({ table, label }: { table: Table; label: string }): JSX.Element {
  return (
    <button class="primary" disabled={table.isBusy || !table.selectedMove} onClick={() => confirm(table)}>
      <Icon name="check" /> {label}
    </button>
  );
}

function Pass({ table, label }: { table: Table; label: string }): JSX.Element {
  return (
    <button disabled={table.isBusy || !table.choices.pass} onClick={() => pass(table)}>
      {label}
    </button>
  );
}

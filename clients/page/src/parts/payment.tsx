/** Choosing the wares that a ship is paid with: more or less of each, and what is still missing. */

import type { Ship } from "south-seas-client";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { text } from "../messages/index.ts";
import type { ShipChoice } from "../model/choices.ts";
import { WARES, type Ware, leastOf, mostOf, needed, progressOf, stepped, total } from "../model/payments.ts";
import { costInWords } from "../model/tileset.ts";
import { choose } from "../session/actions.ts";
import type { GameSession } from "../session/game_session.ts";
import { Icon, WareIcon } from "./icon.tsx";
import { WarePile } from "./wares.tsx";

const STATUS = "payment-status";

interface PaymentProps {
  readonly session: GameSession;
  readonly ship: Ship;
  readonly choice: ShipChoice;
}

/** What is paid, in words: all of it where there is nothing to choose, else how far it has come. */
export function PaymentStatus(props: PaymentProps): JSX.Element {
  const [only] = props.choice.payments;
  if (props.choice.payments.length > 1 || !only) return <Progress {...props} />;
  return (
    <p class="hint">
      {text.pay.only} <WarePile wares={only.wares} />
    </p>
  );
}

/** A stepper for each ware, where there is something to choose. */
export function Steppers({ session, choice }: PaymentProps): JSX.Element | null {
  const group = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Who has chosen the ship by key goes on to pay by key.
    if (document.activeElement?.matches(".ship:focus-visible")) steppers(group.current)[0]?.focus();
  }, []);
  if (choice.payments.length < 2) return null;
  return (
    <div ref={group} class="steppers" role="group" aria-label={text.pay.with} aria-describedby={STATUS}>
      {WARES.filter((ware) => mostOf(choice)[ware] > 0).map((ware) => (
        <Stepper key={ware} session={session} choice={choice} ware={ware} />
      ))}
    </div>
  );
}

/** How much is chosen and missing; where it can lead to nothing, why. */
function Progress({ session, ship, choice }: PaymentProps): JSX.Element {
  const chosen = total(session.selection.wares);
  const progress = progressOf(choice, session.selection.wares);
  const asked = costInWords(ship);
  return (
    <p id={STATUS} class={`hint payment-status ${progress}`}>
      {progress === "impossible" ? (
        text.pay.impossible(asked)
      ) : (
        <>
          {text.pay.progress(chosen, needed(choice))} <small class="tip">{text.pay.takes(asked)}</small>
        </>
      )}
    </p>
  );
}

interface StepperProps {
  readonly session: GameSession;
  readonly choice: ShipChoice;
  readonly ware: Ware;
}

function Stepper({ session, choice, ware }: StepperProps): JSX.Element {
  const { wares } = session.selection;
  const value = wares[ware];
  const least = leastOf(choice)[ware];
  const most = mostOf(choice)[ware];
  const held = session.game?.players[session.decider ?? 0]?.wares[ware] ?? most;

  function step(by: number): void {
    choose.wares(session, stepped(choice, wares, ware, by));
  }

  function key(event: KeyboardEvent & { currentTarget: Element }): void {
    const by = { ArrowUp: 1, "+": 1, ArrowDown: -1, "-": -1, Home: -most, End: most }[event.key];
    const aside = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by !== undefined) step(by);
    else if (aside !== undefined) neighbour(event.currentTarget, aside)?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div class="stepper">
      <button
        aria-label={text.pay.less[ware]}
        tabIndex={-1}
        disabled={session.isPending || value <= least}
        onClick={() => step(-1)}
      >
        <Icon name="minus" />
      </button>
      <span
        class="amount"
        role="spinbutton"
        tabIndex={0}
        aria-label={text.pay.name[ware]}
        aria-valuenow={value}
        aria-valuemin={least}
        aria-valuemax={most}
        aria-valuetext={text.pay.amount(value, held)}
        aria-describedby={STATUS}
        onKeyDown={key}
      >
        <WareIcon ware={ware} />
        <span class="number">{value}</span>
        <small aria-hidden="true">{text.pay.of(held)}</small>
      </span>
      <button
        aria-label={text.pay.more[ware]}
        tabIndex={-1}
        disabled={session.isPending || stepped(choice, wares, ware, 1)[ware] === value}
        onClick={() => step(1)}
      >
        <Icon name="plus" />
      </button>
    </div>
  );
}

function steppers(group: Element | null): HTMLElement[] {
  return [...(group?.querySelectorAll<HTMLElement>("[role=spinbutton]") ?? [])];
}

function neighbour(stepper: Element, aside: number): HTMLElement | undefined {
  const all = steppers(stepper.closest(".steppers"));
  return all[(all.indexOf(stepper as HTMLElement) + aside + all.length) % all.length];
}

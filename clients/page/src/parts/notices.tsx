/** What a player must not miss, over the board: the computer plays for them, time runs out, the network is gone. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { text } from "../messages/index.ts";
import { isResting } from "../model/absence.ts";
import { clockOf, useSecondsLeft, warnsFrom } from "../model/deadline.ts";
import { nameOf } from "../model/story.ts";
import type { Table } from "../table/table.ts";
import { Icon } from "./icon.tsx";

export function Notices({ table }: { table: Table }): JSX.Element {
  return (
    <div class="notices">
      <StandIns table={table} />
      <Warning table={table} />
      <Trouble table={table} />
      {table.notice && (
        <p class="notice" role="alert">
          <span>{table.notice}</span>
          <button class="round small" aria-label={text.close} onClick={() => table.dismiss()}>
            <Icon name="close" />
          </button>
        </p>
      )}
    </div>
  );
}

/** Stays as long as the computer plays for somebody here. */
function StandIns({ table }: { table: Table }): JSX.Element | null {
  const { game, standIns } = table;
  if (!game || standIns.length === 0) return null;
  const isAlone = Object.keys(table.keys.seats).length === 1;
  return (
    <>
      {standIns.map((seat) => (
        <div key={seat} class="notice stand-in" role="status">
          <span>
            <b>{text.away.standsIn(isAlone ? null : nameOf(game, seat))}</b>{" "}
            {isResting(game) && text.away.resting}
          </span>
          <button class="primary" disabled={table.isBusy} onClick={() => table.takeBack(seat)}>
            {text.away.takeOver}
          </button>
        </div>
      ))}
    </>
  );
}

/** Says that time runs out while there is some left, and what comes then. */
function Warning({ table }: { table: Table }): JSX.Element | null {
  const { game, decider } = table;
  const deadline = decider === null ? null : (game?.turn?.deadline ?? null);
  const left = useSecondsLeft(deadline);
  const isSoon = left !== null && left <= warnsFrom(game?.turn_timeout_s ?? 0);
  const then = text.away.then[game?.on_timeout ?? "pass"] ?? "";
  useEffect(() => {
    if (isSoon) table.say(`${text.away.hurry(clockOf(left))} ${then}`);
  }, [isSoon, deadline]);
  if (!isSoon) return null;
  return (
    <p class="notice hurry">
      <Icon name="clock" />
      <span>
        <b>{left > 0 ? text.away.hurry(clockOf(left)) : text.dock.deadlineOver}</b> {then}
      </span>
    </p>
  );
}

/** What the missing network keeps from being done. */
function Trouble({ table }: { table: Table }): JSX.Element | null {
  if (table.fatal !== null) return <Problem>{table.fatal}</Problem>;
  if (table.isUnsent)
    return (
      <Problem>
        <span>{text.table.unsent}</span>
        <button onClick={() => table.unsend()}>{text.table.unsend}</button>
      </Problem>
    );
  return table.network.isOffline ? <Problem>{text.table.offline}</Problem> : null;
}

function Problem({ children }: { children: ComponentChildren }): JSX.Element {
  return (
    <div class="problem" role="alert">
      {children}
    </div>
  );
}

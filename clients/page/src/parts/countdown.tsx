/** How long a player has left to decide. */

import type { JSX } from "preact";
import { text } from "../messages/index.ts";
import { clockOf, useSecondsLeft, warnsFrom } from "../model/deadline.ts";
import { Icon } from "./icon.tsx";

export function Countdown({ deadline, timeout }: { deadline: string; timeout: number }): JSX.Element {
  const left = useSecondsLeft(deadline) ?? 0;
  return (
    <span class={left <= warnsFrom(timeout) ? "countdown soon" : "countdown"} role="timer">
      <Icon name="clock" /> {left > 0 ? text.actionBar.deadline(clockOf(left)) : text.actionBar.deadlineOver}
    </span>
  );
}

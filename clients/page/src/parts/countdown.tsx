/** How long a player has left to decide. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { text } from "../messages/index.ts";
import { Icon } from "./icon.tsx";

const SECOND = 1000;
const SOON_S = 15;

export function Countdown({ deadline }: { deadline: string }): JSX.Element {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), SECOND);
    return () => clearInterval(ticking);
  }, []);
  const left = Math.max(0, Math.round((Date.parse(deadline) - now) / SECOND));
  return (
    <span class={left <= SOON_S ? "countdown soon" : "countdown"} role="timer">
      <Icon name="clock" /> {left > 0 ? text.dock.deadline(inWords(left)) : text.dock.deadlineOver}
    </span>
  );
}

function inWords(seconds: number): string {
  const two = (part: number): string => String(Math.floor(part)).padStart(2, "0");
  if (seconds >= 86_400)
    return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
  if (seconds >= 3600)
    return `${Math.floor(seconds / 3600)}:${two((seconds % 3600) / 60)}:${two(seconds % 60)}`;
  return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
}

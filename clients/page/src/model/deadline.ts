/** How much time is left, and when it is little. */

import { useEffect, useState } from "preact/hooks";
import { text } from "../messages/index.ts";
import { service } from "../service.ts";

const SECOND = 1000;
const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

export interface Duration {
  readonly count: number;
  readonly unit: (typeof UNITS)[number][0];
}

/** A duration in its largest unit. */
export function durationOf(seconds: number): Duration {
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? ["second", 1];
  return { count: Math.max(0, Math.floor(seconds / size)), unit };
}

/** A duration in the largest unit of which it is a whole number. */
export function exactDurationOf(seconds: number): Duration {
  const [unit, size] = UNITS.find(([, size]) => seconds % size === 0) ?? ["second", 1];
  return { count: seconds / size, unit };
}

/** The seconds until a deadline by the service's clock, as they pass; null where there is none. */
export function useSecondsLeft(deadline: string | null): number | null {
  const [, tick] = useState(0);
  useEffect(() => {
    if (deadline === null) return;
    const ticking = setInterval(() => tick((count) => count + 1), SECOND);
    return () => clearInterval(ticking);
  }, [deadline]);
  return deadline === null ? null : Math.round(service.clock.secondsLeft(deadline));
}

/** From how many seconds on the one who decides is warned: a quarter of the time, never more than an hour. */
export function warnsFrom(timeoutS: number): number {
  return Math.min(3600, Math.max(timeoutS / 4, Math.min(15, timeoutS / 2)));
}

export function clockOf(seconds: number): string {
  const two = (part: number): string => String(Math.floor(part)).padStart(2, "0");
  if (seconds >= 86_400)
    return text.daysAndHours(Math.floor(seconds / 86_400), Math.floor((seconds % 86_400) / 3600));
  if (seconds >= 3600)
    return `${Math.floor(seconds / 3600)}:${two((seconds % 3600) / 60)}:${two(seconds % 60)}`;
  return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
}

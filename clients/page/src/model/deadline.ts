/** How much time is left, and when it is little. */

import { useEffect, useState } from "preact/hooks";

const SECOND = 1000;

/** The seconds until a deadline, as they pass; null where there is none. */
export function useSecondsLeft(deadline: string | null): number | null {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (deadline === null) return;
    setNow(Date.now());
    const ticking = setInterval(() => setNow(Date.now()), SECOND);
    return () => clearInterval(ticking);
  }, [deadline]);
  return deadline === null ? null : Math.max(0, Math.round((Date.parse(deadline) - now) / SECOND));
}

/** From how many seconds on the one who decides is warned: a quarter of the time, never more than an hour. */
export function warnsFrom(timeoutS: number): number {
  return Math.min(3600, Math.max(timeoutS / 4, Math.min(15, timeoutS / 2)));
}

export function clockOf(seconds: number): string {
  const two = (part: number): string => String(Math.floor(part)).padStart(2, "0");
  if (seconds >= 86_400)
    return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
  if (seconds >= 3600)
    return `${Math.floor(seconds / 3600)}:${two((seconds % 3600) / 60)}:${two(seconds % 60)}`;
  return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
}

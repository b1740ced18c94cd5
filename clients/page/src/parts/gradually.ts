/** Long lists are shown part by part, so that a tap on something else need not wait for the whole. */

import { useEffect, useState } from "preact/hooks";

/** How many of a list are shown: none in the first frame, `step` more in each, and once all were there, always all. */
export function useGradually(count: number, step: number): number {
  const [shown, setShown] = useState(0);
  useEffect(() => {
    if (count === 0 || shown === Infinity) return;
    const next = setTimeout(() => setShown(nextShown(shown, count, step)));
    return () => clearTimeout(next);
  }, [shown, count]);
  return Math.min(shown, count);
}

/** How many follow after so many; Infinity once all were there. */
export function nextShown(shown: number, count: number, step: number): number {
  return shown < count ? shown + step : Infinity;
}

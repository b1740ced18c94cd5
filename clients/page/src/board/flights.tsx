/** What players gain flies to them from where it comes from on the board. */

import { useEffect, useRef } from "preact/hooks";
import { isCalm } from "../model/motion.ts";
import { gainsIn } from "../model/news.ts";
import { WARES } from "../model/payments.ts";
import type { Step } from "../session/game_history.ts";
import type { GameSession } from "../session/game_session.ts";

/** How long after a step the board is where it shows it, how long a flight takes, and how long after each other wares begin. */
const SETTLED_MS = 450;
const FLIGHT_MS = 900;
const INTERVAL_MS = 90;
/** So many of a ware are seen, however many they are. */
const MAX_SEEN = 6;

export function Flights({ session }: { session: GameSession }): null {
  const version = session.game?.version ?? 0;
  const shown = useRef(session.isRecap ? version - 1 : version);
  useEffect(() => {
    const before = shown.current;
    shown.current = version;
    if (isCalm()) return;
    for (const step of session.recent)
      if (step.diff.version > before) setTimeout(() => flyGains(step), step.delayMs + SETTLED_MS);
  }, [version]);
  return null;
}

function flyGains({ diff }: Step): void {
  diff.events.forEach((event, number) => {
    const cells = document.querySelectorAll(
      `.evaluated[data-version="${diff.version}"] [data-event="${number}"]`,
    );
    const from = middleOf([...cells].map((cell) => cell.getBoundingClientRect()));
    for (const [seat, { wares }] of gainsIn([event])) {
      let begun = 0;
      for (const ware of WARES)
        for (let count = 0; count < Math.min(wares[ware], MAX_SEEN); count++)
          fly(`.player[data-seat="${seat}"] .ware.${ware}`, from, INTERVAL_MS * begun++);
    }
  });
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function middleOf(boxes: readonly DOMRect[]): Point | null {
  if (boxes.length === 0) return null;
  const mean = (of: (box: DOMRect) => number): number =>
    boxes.reduce((sum, box) => sum + of(box), 0) / boxes.length;
  return { x: mean(({ x, width }) => x + width / 2), y: mean(({ y, height }) => y + height / 2) };
}

/** A picture like the one where it ends. */
function fly(end: string, from: Point | null, delay: number): void {
  const icon = document.querySelector(end);
  const to = icon?.getBoundingClientRect();
  if (!icon || !to || to.width === 0 || !from) return;
  const flying = icon.cloneNode(true) as SVGElement;
  flying.classList.add("flying");
  Object.assign(flying.style, { left: `${to.x}px`, top: `${to.y}px`, width: `${to.width}px` });
  document.body.append(flying);
  const across = from.x - to.x - to.width / 2;
  const down = from.y - to.y - to.height / 2;
  const flight = flying.animate(
    [
      { transform: `translate(${across}px, ${down}px) scale(0)`, easing: "ease-out" },
      { transform: `translate(${across}px, ${down}px) scale(2.4)`, offset: 0.25, easing: "ease-in-out" },
      { transform: "none" },
    ],
    { duration: FLIGHT_MS, delay, fill: "backwards" },
  );
  flight.onfinish = () => flying.remove();
}

/** Islanders: each colour with a mark of its own, so that nobody needs to tell colours apart; fishermen lie. */

import type { JSX } from "preact";

interface Paint {
  readonly fill: string;
  readonly dark: string;
  readonly mark: string;
}

/** The paints of each colour of player, as in the service's pictures. */
export const PAINTS: Readonly<Record<string, Paint>> = {
  red: { fill: "#d5362a", dark: "#7c140c", mark: "#ffffff" },
  blue: { fill: "#1f5fc4", dark: "#0c2b66", mark: "#ffffff" },
  green: { fill: "#2fae5e", dark: "#0c5227", mark: "#06351a" },
  yellow: { fill: "#ffd92f", dark: "#8a6a00", mark: "#4a3500" },
  black: { fill: "#2b2b30", dark: "#000000", mark: "#ffffff" },
};

const NO_PAINT: Paint = { fill: "#888888", dark: "#333333", mark: "#ffffff" };

const MARKS: Readonly<Record<string, string>> = {
  red: "M0-3.1 3.1 0 0 3.1-3.1 0Z",
  blue: "M0-2.8A2.8 2.8 0 1 1 0 2.8 2.8 2.8 0 1 1 0-2.8ZM0-1.1A1.1 1.1 0 1 0 0 1.1 1.1 1.1 0 1 0 0-1.1Z",
  green: "M0-3 3.2 2.5H-3.2Z",
  yellow: "M-1-3H1V-1H3V1H1V3H-1V1H-3V-1H-1Z",
  black: "M0-3.5.85-1.1 3.4-1.1 1.35.45 2.1 2.9 0 1.4-2.1 2.9-1.35.45-3.4-1.1-.85-1.1Z",
};

const BODY = "M-6.6 8.2C-7 .6-4.4-2.2 0-2.2S7 .6 6.6 8.2C6.5 8.9 6 9 5.4 9H-5.4C-6 9-6.5 8.9-6.6 8.2Z";
const HAT = "M-6.2-4.4C-3.4-5.2-2.6-9.2 0-9.2S3.4-5.2 6.2-4.4C5-2.8-5-2.8-6.2-4.4Z";
const BAND = "M-4.3-5.4C-1.6-4.5 1.6-4.5 4.3-5.4";

/** An islander around (0, 0), about 13 by 18 units. */
export function Figure({ color, lies = false }: { color: string; lies?: boolean }): JSX.Element {
  const paint = PAINTS[color] ?? NO_PAINT;
  return (
    <>
      {lies && <ellipse rx="12" ry="8.6" fill="#ffffff" fill-opacity="0.3" />}
      <g transform={lies ? "rotate(-90)" : undefined} stroke-linejoin="round">
        <path d={`${BODY}${HAT}`} fill="none" stroke="#fffdf5" stroke-width="3.2" />
        <path d={BODY} fill={paint.fill} stroke={paint.dark} stroke-width="1" />
        <circle cy="-3.4" r="3" fill="#b97a4b" stroke="#5b3413" stroke-width="0.6" />
        <path d={HAT} fill="#f3d48a" stroke="#6e4a12" stroke-width="0.9" />
        <path d={BAND} fill="none" stroke={paint.fill} stroke-width="1.3" />
      </g>
      <path
        transform={lies ? "translate(3.9 0)" : "translate(0 3.9)"}
        d={MARKS[color] ?? ""}
        fill={paint.mark}
      />
    </>
  );
}

/** The mark of a player's colour, for lists. */
export function Token({ color }: { color: string | null }): JSX.Element {
  return (
    <svg class="token" viewBox="-11 -11 22 22" aria-hidden="true">
      {color === null ? <circle class="token-free" r="9" /> : <Figure color={color} />}
    </svg>
  );
}

/** Small pictures: tools as strokes, wares in their colours. */

import type { JSX } from "preact";
import { text } from "../messages/index.ts";

const STROKES: Readonly<Record<string, string>> = {
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  turn: "M19 8a8 8 0 1 0 1 6M20 3v5.500h-5.5",
  check: "M5 13l5 5 9-11",
  undo: "M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  menu: "M5 12h.01M12 12h.01M19 12h.01",
  back: "M15 5l-7 7 7 7",
  close: "M6 6l12 12M18 6L6 18",
  play: "M8 5v14l11-7Z",
  pause: "M8 5v14M16 5v14",
  first: "M18 6l-8 6 8 6ZM6 6v12",
  last: "M6 6l8 6-8 6ZM18 6v12",
  previous: "M15 5l-7 7 7 7",
  following: "M9 5l7 7-7 7",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  code: "M4 4h6v6H4ZM14 4h6v6h-6ZM4 14h6v6H4ZM14 14h2v2M20 14v2M14 20h2M18 18v2h2",
  language: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM3 12h18M12 3c5 5 5 13 0 18-5-5-5-13 0-18Z",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM12 7v5l3.5 2",
  more: "M6 9l6 6 6-6",
  others: "M2 12s3.500-7 10-7 10 7 10 7-3.500 7-10 7S2 12 2 12ZM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z",
  find: "M12 2v4M12 18v4M2 12h4M18 12h4M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10Z",
  people:
    "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM2 21a7 7 0 0 1 14 0M16 3.500a4 4 0 0 1 0 7.500M18 14.500a7 7 0 0 1 4 6.5",
  tile: "M5 5h14v14H5ZM5 15c3-4 5 2 7-1s4 2 7-2",
  home: "M3 12l9-8 9 8M6 10v10h12V10",
  boat: "M3 15h18c-1 3-3 5-5 5H8c-2 0-4-2-5-5ZM11 12V3L5 12ZM14 12V6l4 6Z",
  trophy: "M7 4h10v6a5 5 0 0 1-10 0ZM7 6H4a3 3 0 0 0 3.500 4.500M17 6h3a3 3 0 0 1-3.500 4.500M12 15v4M8 20h8",
};

/** A tool's picture; the button that holds it has the words. */
export function Icon({ name }: { name: string }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={STROKES[name] ?? ""} />
    </svg>
  );
}

/** The sign of who has won. */
export function Won(): JSX.Element {
  return (
    <span class="won" role="img" aria-label={text.score.winner} title={text.score.winner}>
      <Icon name="trophy" />
    </span>
  );
}

/** A ware: banana, shell, fish, any of them, or a letter for a kind that is left open. As on the tiles. */
export function WareIcon({ ware }: { ware: string }): JSX.Element {
  return (
    <svg class={`ware ${ware}`} viewBox="-8 -8 16 16" aria-hidden="true">
      {WARES[ware]}
    </svg>
  );
}

const WARES: Readonly<Record<string, JSX.Element>> = {
  bananas: (
    <>
      <path
        class="fill"
        d="M-6.2-1.6C-4.8 5.3 4.8 6.2 6.3-3.3C6.4-4.2 5-4.7 4.7-3.8C3.3.4-1.6 1.4-5.1-2.5C-5.8-3.1-6.5-2.5-6.2-1.6Z"
      />
      <path class="shade" d="M-5.4-1.2C-2.8 3.6 3.6 3.4 5.6-2.6C3.4 1.9-2 2.4-5.4-1.2Z" />
      <path class="stem" d="M6.5-2.9 7.2-5.1 5.2-5.8 4.5-3.6Z" />
    </>
  ),
  shells: (
    <>
      <path
        class="fill"
        d="M0 4.7C-1.7 4.7-2.5 3.9-2.2 3C-5.2.2-6-2.3-4.2-4C-2.8-5.2-1.2-5 0-5.3C1.2-5 2.8-5.2 4.2-4C6-2.3 5.2.2 2.2 3C2.5 3.9 1.7 4.7 0 4.7Z"
      />
      <path class="line" d="M0 2.8V-4.4M-.9 2.7-2.5-3.9M.9 2.7 2.5-3.9M-1.5 2.4-4.3-2.3M1.5 2.4 4.3-2.3" />
    </>
  ),
  fish: (
    <>
      <path
        class="fill"
        d="M-6.4.2C-4.6-3.9.8-4.4 3.3-.7C4.3-1.6 5.3-2.6 6.5-3.2C6-1 6 1.2 6.5 3.4C5.3 2.8 4.3 1.9 3.3.9C.8 4.7-4.6 4.2-6.4.2Z"
      />
      <path class="stripe" d="M-1.6-3C-.7-1-.7 1.3-1.6 3.3L.4 3.1C1.2 1.2 1.2-1 .4-2.8Z" />
      <circle class="eye" cx="-4" cy="-.5" r=".8" />
    </>
  ),
  any: (
    <>
      <circle class="fill" r="6.8" />
      <text class="letter" y="3.4">
        ?
      </text>
    </>
  ),
};

/** A kind of ware that the player chooses, told apart by a letter. */
export function KindIcon({ letter }: { letter: string }): JSX.Element {
  return (
    <svg class={`ware kind kind-${letter.toLowerCase()}`} viewBox="-8 -8 16 16" aria-hidden="true">
      <circle class="fill" r="7" />
      <text class="letter" y="3.4">
        {letter}
      </text>
    </svg>
  );
}

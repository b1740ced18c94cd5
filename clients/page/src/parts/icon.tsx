/** Small pictures: tools as strokes, wares in their colours. */

import type { JSX } from "preact";

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
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12ZM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM12 7v5l3.5 2",
  find: "M12 2v4M12 18v4M2 12h4M18 12h4M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10Z",
  list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
  people:
    "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM2 21a7 7 0 0 1 14 0M16 3.500a4 4 0 0 1 0 7.500M18 14.500a7 7 0 0 1 4 6.5",
  bot: "M5 9h14v10H5ZM12 9V5M9 13.500h.01M15 13.500h.01M2 13v3M22 13v3",
};

/** A tool's picture; the button that holds it has the words. */
export function Icon({ name }: { name: string }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={STROKES[name] ?? ""} />
    </svg>
  );
}

/** A ware: banana, shell, fish, any of them, or a letter for a kind that is left open. */
export function WareIcon({ ware }: { ware: string }): JSX.Element {
  return (
    <svg class={`ware ${ware}`} viewBox="0 0 24 24" aria-hidden="true">
      {WARES[ware]}
    </svg>
  );
}

const WARES: Readonly<Record<string, JSX.Element>> = {
  bananas: (
    <>
      <path
        class="fill"
        d="M5 4c.5 8 5 13.5 14 14.5 1.5.2 2.5-1.5 1.2-2.500C14 13.5 9.5 10 8 3.5 7.5 2 4.9 2.5 5 4Z"
      />
      <path class="line" d="M7 4.500c1.5 7 6 11 12.5 12.8" />
    </>
  ),
  shells: (
    <>
      <path
        class="fill"
        d="M12 3c6 0 9.5 5 9.5 9 0 1.5-1 2.5-2 3L14 20h-4l-5.5-5c-1-.5-2-1.5-2-3C2.5 8 6 3 12 3Z"
      />
      <path class="line" d="M12 4v15M7 5.5 10.5 19M17 5.5 13.5 19M4 10l5.5 9M20 10l-5.5 9" />
    </>
  ),
  fish: (
    <>
      <path
        class="fill"
        d="M2 12c3-5 7-6.5 10.5-6.5 3 0 5.5 2 7 4.500L23 7v10l-3.5-3c-1.5 2.5-4 4.5-7 4.500C9 18.5 5 17 2 12Z"
      />
      <circle class="dot" cx="8" cy="10.5" r="1.3" />
      <path class="line" d="M13.5 8.500c1.5 2 1.5 5 0 7" />
    </>
  ),
  any: (
    <>
      <circle class="fill" cx="12" cy="12" r="9" />
      <text class="letter" x="12" y="16.5">
        ?
      </text>
    </>
  ),
};

/** A kind of ware that the player chooses, told apart by a letter. */
export function KindIcon({ letter }: { letter: string }): JSX.Element {
  return (
    <svg class={`ware kind kind-${letter.toLowerCase()}`} viewBox="0 0 24 24" aria-hidden="true">
      <rect class="fill" x="3" y="3" width="18" height="18" rx="5" />
      <text class="letter" x="12" y="16.5">
        {letter}
      </text>
    </svg>
  );
}

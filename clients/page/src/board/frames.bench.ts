/** Prints how many of the choices that the best place would show a frame shows: npm --prefix clients/page run bench */

import { test } from "node:test";
import { SCREENS, framesOf } from "../testing/frames.ts";

const MOVED = [false, true];

test("the table of frames", (t) => {
  const rows = SCREENS.flatMap((screen) => [2, 3, 4, 5].map((players) => ({ screen, players })));
  console.table(
    rows.map(({ screen, players }) => {
      const [alone, moved] = MOVED.map((isMoved) => framesOf(t, screen, players, isMoved));
      const cell = ({ shown, best, lopsided, turns }: NonNullable<typeof alone>): string =>
        `${shown} of ${best} (${Math.round((100 * shown) / best)} %), ${lopsided} of ${turns} lopsided`;
      return {
        screen: screen.name,
        players,
        alone: alone && cell(alone),
        "moved by the player": moved && cell(moved),
      };
    }),
  );
});

/** A tile as large as its spots need, over the board, where they would be too near each other on it. */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { text } from "../messages/index.ts";
import { useBack } from "../model/back.ts";
import { type Box, type Cell, SIZE } from "../model/cells.ts";
import { leastTarget } from "../model/pointer.ts";
import type { GameSession } from "../session/game_session.ts";
import { type Spot, leastFor, spotsShown } from "./aim.ts";
import { SpotChoices } from "./choices.tsx";
import type { Pictures } from "./pictures.ts";
import { TilePicture, at } from "./placed.tsx";
import { apartOf, pushedApart } from "./touch_areas.ts";

/** The sides that the tile may have in it, in pixels, the least that is enough; and its distance from the edges. */
const SIDES = [150, 165, 180, 200, 225, 250];
const MARGIN = 8;

/** How far spots may be from the middle of their squares where a lens has hardly any room, as a share of their sides. */
const FAR_ASIDE = 0.5;

/** What a lens is put beside, in pixels of the board's frame. */
export interface Surroundings {
  /** Where the tile is. */
  readonly tile: Box;
  readonly width: number;
  readonly height: number;
  /** How much is above the frame, below the bar: the lens may lie over that, too. */
  readonly above: number;
}

/** The tile whose spots a finger, or a mouse, would not hit on tiles of this size; null where there is none. */
export function tileForLens(session: GameSession, pictures: Pictures, tile: number): Cell | null {
  const spots = pictures.isLoaded ? spotsShown(session, pictures) : [];
  const [alone, ...others] = spots;
  const isHit = tile >= leastFor(others.length > 0 ? apartOf(placesOf(spots)) : (alone?.side ?? 0));
  return (!isHit && spots.find(({ choice }) => choice.kind === "place")?.choice.cell) || null;
}

function areApart(spots: readonly Spot[], lens: number): boolean {
  return pushedApart(placesOf(spots), (leastTarget() * SIZE) / lens) !== null;
}

function placesOf(spots: readonly Spot[]): Cell[] {
  return spots.map(({ middle }) => middle);
}

/** Where a lens is, that is as large as these spots need, if there is room. */
export function lensBox(spots: readonly Spot[], { tile, width, height, above }: Surroundings): Box {
  const largest = Math.min(width - 2 * MARGIN, height + above - 2 * MARGIN);
  const side = SIDES.find((one) => one > largest || areApart(spots, one)) ?? largest;
  const within = (middle: number, least: number, end: number): number =>
    Math.max(least, Math.min(middle - side / 2, end - MARGIN - side));
  const left = within((tile.left + tile.right) / 2, MARGIN, width);
  const top = within((tile.top + tile.bottom) / 2, Math.min(MARGIN, height - MARGIN - side), height);
  return { left, top, right: left + side, bottom: top + side };
}

/** The spots as they are in a lens of this side: none nearer to another than a finger needs, if there is room. */
export function spotsInLens(spots: readonly Spot[], lens: number): Spot[] {
  const places = placesOf(spots);
  const side = (leastTarget() * SIZE) / lens;
  const middles = pushedApart(places, side) ?? pushedApart(places, side, FAR_ASIDE) ?? places;
  return spots.map((spot, index) => {
    const middle = middles[index] ?? spot.middle;
    return { ...spot, middle, touch: middle, side, radius: side / 2 };
  });
}

interface LensProps {
  readonly session: GameSession;
  readonly pictures: Pictures;
  readonly surroundings: Surroundings;
  readonly reachable: string;
  /** Whether the focus is to go to its spots. */
  readonly takesFocus: boolean;
  readonly onFocus: (event: FocusEvent) => void;
  readonly onClose: () => void;
}

export function Lens(props: LensProps): JSX.Element | null {
  const { session, pictures, surroundings, reachable, takesFocus, onFocus, onClose } = props;
  const element = useRef<SVGSVGElement>(null);
  useBack(true, onClose);
  useEffect(() => {
    if (takesFocus) element.current?.querySelector<SVGElement>("[tabindex='0']")?.focus();
  }, [takesFocus]);
  useEffect(() => {
    function key(event: KeyboardEvent): void {
      // Before that, Escape takes back what is chosen.
      if (event.key !== "Escape" || session.selection.spot !== null) return;
      if (!document.querySelector("dialog[open]")) onClose();
    }
    addEventListener("keydown", key, { capture: true });
    return () => removeEventListener("keydown", key, { capture: true });
  }, [session, onClose]);
  const spots = spotsShown(session, pictures, "place");
  const [spot] = spots;
  if (!spot) return null;
  const { cell } = spot.choice;
  const box = lensBox(spots, surroundings);
  const side = box.right - box.left;
  const corner = { x: cell.x * SIZE, y: cell.y * SIZE };
  return (
    <svg
      ref={element}
      class="lens"
      role="group"
      aria-label={text.game.lens}
      viewBox={`${corner.x} ${corner.y} ${SIZE} ${SIZE}`}
      style={{ left: `${box.left}px`, top: `${box.top}px`, width: `${side}px`, height: `${side}px` }}
      onFocusIn={onFocus}
    >
      <g transform={at(corner)}>
        <TilePicture href={pictures.href(spot.placed.tile, spot.placed.rotation)} />
      </g>
      <SpotChoices session={session} spots={spotsInLens(spots, side)} reachable={reachable} />
    </svg>
  );
}

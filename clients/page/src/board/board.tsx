/** The board: what lies there, what may be chosen, and the view of it. */

import type { JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { text } from "../messages/index.ts";
import { type Cell, SIZE, bounds, cellOf, keyOf } from "../model/cells.ts";
import { NOTHING, fittingRotation } from "../model/choices.ts";
import { useObservable } from "../model/observable.ts";
import { News } from "../parts/news.tsx";
import { kindAt } from "../model/event_sentences.ts";
import { rotate } from "../session/actions.ts";
import type { GameSession } from "../session/game_session.ts";
import { Cells, SpotChoices, choicesShown, suggestedStop } from "./choices.tsx";
import { gestures } from "./gestures.ts";
import { Inspected } from "./inspected.tsx";
import type { Pictures } from "./pictures.ts";
import { EvaluatedCells } from "./evaluated_cells.tsx";
import { Outlines } from "./outlines.tsx";
import { Islanders, TilePicture, Tiles, at } from "./placed.tsx";
import { nextStop, reachableStop } from "./keyboard_navigation.ts";
import { type Aim, CELLS, ISLANDERS, SPOTS, View, type ViewRef } from "./view.ts";
import { ZoomButtons } from "./zoom.tsx";

/** Free cells around the tiles that are always in view. */
const BORDER = 1;

export interface BoardProps {
  readonly session: GameSession;
  readonly pictures: Pictures;
  /** Set to the view, for those who drop tiles here. */
  readonly viewRef: ViewRef;
}

export function Board({ session, pictures, viewRef }: BoardProps): JSX.Element | null {
  useObservable(pictures);
  const frame = useRef<SVGSVGElement>(null);
  const drawn = useRef<SVGGElement>(null);
  const messages = useRef<HTMLDivElement>(null);
  const help = useId();
  const [active, setActive] = useState<string | null>(null);
  const [hovered, setHovered] = useState<Cell | null>(null);
  const { game, tileset } = session;
  // A replay is looked at in the frame of the whole, so that nothing moves but what is played.
  const whole = session.replayed === null ? game : session.latest;
  const box = whole ? bounds(whole, BORDER) : null;

  useLayoutEffect(() => {
    if (!frame.current || !drawn.current) return;
    const view = new View(frame.current, drawn.current);
    viewRef.current = view;
    const ended = gestures(frame.current, view, (event) => wheelTurns(event, session, view));
    const resized = new ResizeObserver(() => view.resized());
    resized.observe(frame.current);
    return () => {
      ended();
      resized.disconnect();
      viewRef.current = null;
    };
  }, [session]);

  useEffect(() => {
    if (box) viewRef.current?.fit(box);
  }, [box?.left, box?.top, box?.right, box?.bottom]);

  const isLookedBackAt = session.replayed !== null || (game !== null && game.status !== "active");
  useEffect(() => {
    if (box && isLookedBackAt) viewRef.current?.fit(box, true);
  }, [isLookedBackAt, session.replayed === null]);

  const aim = aimOf(session);
  const [inSight, setInSight] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    if (aim === undefined) return;
    viewRef.current?.aimAt(aim);
    setInSight(new Set(viewRef.current?.inSight.map(keyOf)));
    // A new question begins with what is in sight, unless the focus is on the board.
    if (!frame.current?.contains(document.activeElement)) setActive(null);
  }, [JSON.stringify(aim)]);

  const { inspected, features } = session.inspection;
  useEffect(() => {
    // What is looked at is not under the words about it.
    if (inspected) viewRef.current?.uncover(inspected.cell, messages.current?.offsetHeight ?? 0);
  }, [inspected, features.length]);

  useEffect(() => {
    if (session.places.length > 0) viewRef.current?.show(session.places);
  }, [session.places]);

  if (!game || !tileset) return null;

  /** Looks at what lies under a tap, of a tile at the segment that is nearest. */
  function inspect(event: MouseEvent): void {
    const view = viewRef.current;
    if (!view || (event.target instanceof Element && event.target.closest(".choice, .islander"))) return;
    const point = view.boardPoint({ x: event.clientX, y: event.clientY });
    const cell = { x: Math.floor(point.x / SIZE), y: Math.floor(point.y / SIZE) };
    const placed = game?.board[keyOf(cell)];
    if (placed) session.inspect(cell, pictures.nearestSegment(placed, cell, point));
    else if (session.inspection.inspected) session.inspect(null);
  }

  function steer(event: KeyboardEvent): void {
    const next = event.shiftKey || !frame.current ? null : nextStop(event.key, frame.current);
    if (!next) return;
    event.preventDefault();
    next.focus({ preventScroll: true });
  }

  /** What the focus comes to by key is brought into sight, and told of. */
  function focus({ target }: FocusEvent): void {
    const stop = target as Element;
    setActive(stop.getAttribute("data-stop"));
    if (!stop.matches(":focus-visible")) return;
    const cell = cellOf(stop.getAttribute("data-cell") ?? "");
    viewRef.current?.reveal(cell);
    session.walk(cell);
  }

  function hover(event: PointerEvent): void {
    const cell =
      event.pointerType === "mouse"
        ? (viewRef.current?.cellAt({ x: event.clientX, y: event.clientY }) ?? null)
        : null;
    if (cell?.x !== hovered?.x || cell?.y !== hovered?.y) setHovered(cell);
  }

  const kindOf = (cell: Cell, segment: number): string => kindAt(game, tileset, cell, segment);
  const reachable = reachableStop(game, choicesShown(session), active, suggestedStop(session), inSight);
  return (
    <section class="board" aria-label={text.game.board} data-part="board" onKeyDown={steer}>
      <p id={help} class="unseen">
        {text.walk.help}
      </p>
      <svg
        ref={frame}
        class="frame"
        role="application"
        aria-label={text.walk.cells}
        aria-describedby={help}
        onFocusIn={focus}
        onFocusOut={() => session.walk(null)}
        onPointerMove={hover}
        onPointerLeave={() => setHovered(null)}
        onClick={inspect}
      >
        <g ref={drawn} class="drawn">
          <Tiles game={game} pictures={pictures} recent={session.recent} />
          <EvaluatedCells steps={session.recent} />
          <Ghost session={session} pictures={pictures} hovered={hovered} />
          <Cells session={session} pictures={pictures} reachable={reachable} />
          <Islanders
            game={game}
            pictures={pictures}
            recent={session.recent}
            pointedOut={session.pointedOut}
            kindOf={kindOf}
            onInspect={(cell, segment) => session.inspect(cell, segment)}
          />
          <Outlines game={game} outlines={session.outlines} />
          <SpotChoices session={session} pictures={pictures} reachable={reachable} />
        </g>
      </svg>
      <div ref={messages} class="messages">
        {inspected ? <Inspected session={session} /> : <News session={session} />}
      </div>
      <ZoomButtons
        viewRef={viewRef}
        hasOthers={aim?.cells.some((cell) => !inSight.has(keyOf(cell))) === true}
        fit={() => box && viewRef.current?.fit(box, true)}
      />
    </section>
  );
}

/** What the view follows: null where nothing can be chosen on the board, undefined where that is not known yet. */
function aimOf(session: GameSession): Aim | null | undefined {
  const { replayed, decider, choices, selection, game } = session;
  if (replayed !== null || decider === null) return null;
  if (choices === NOTHING) return undefined;
  if (selection.cell) return { cells: [selection.cell], ...SPOTS };
  if (choices.cells.size > 0) {
    const cells = [...choices.cells.values()].map(({ cell }) => cell);
    const suggested = suggestedStop(session);
    const first = cells.find((cell) => keyOf(cell) === suggested);
    return { cells, first, ...CELLS };
  }
  const placed = game?.turn?.placed;
  if (placed && choices.spots.some(({ kind }) => kind === "place")) return { cells: [placed], ...SPOTS };
  return choices.spots.length > 0 ? { cells: choices.spots.map(({ cell }) => cell), ...ISLANDERS } : null;
}

/** The tile as it would lie under the mouse. */
function Ghost({
  session,
  pictures,
  hovered,
}: {
  session: GameSession;
  pictures: Pictures;
  hovered: Cell | null;
}): JSX.Element | null {
  const choice = hovered && choicesShown(session).cells.get(keyOf(hovered));
  const tile = session.game?.turn?.tile;
  if (!choice || tile === undefined || session.selection.cell) return null;
  return (
    <g class="ghost" transform={at({ x: choice.cell.x * SIZE, y: choice.cell.y * SIZE })}>
      <TilePicture href={pictures.href(tile, fittingRotation(choice, session.selection.rotation))} />
    </g>
  );
}

/** Over the tile on trial the wheel turns it. */
function wheelTurns(event: WheelEvent, session: GameSession, view: View): boolean {
  const { cell } = session.selection;
  const over = view.cellAt({ x: event.clientX, y: event.clientY });
  if (!cell || keyOf(cell) !== keyOf(over)) return false;
  rotate(session, event.deltaY > 0 ? 1 : -1);
  return true;
}

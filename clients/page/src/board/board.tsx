/** The board: what lies there, what may be chosen, and the view of it. */

import type { JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { text } from "../messages/index.ts";
import { type Cell, SIZE, cellOf, cellsOfIslanders, keyOf } from "../model/cells.ts";
import { fittingRotation } from "../model/choices.ts";
import { walkedCells } from "../model/described_cells.ts";
import { placesOf } from "../model/news.ts";
import { useObservable } from "../model/observable.ts";
import { Located } from "../parts/located.tsx";
import { News } from "../parts/news.tsx";
import { Notices } from "../parts/notices.tsx";
import { kindAt } from "../model/event_sentences.ts";
import { rotate } from "../session/actions.ts";
import type { GameSession } from "../session/game_session.ts";
import { aimOf, choicesShown, figureTile, suggestedStop } from "./aim.ts";
import { Cells, SpotChoices } from "./choices.tsx";
import { coversOf, onFrame } from "./covers.ts";
import { Flights } from "./flights.tsx";
import { gestures } from "./gestures.ts";
import { Inspected } from "./inspected.tsx";
import type { Pictures } from "./pictures.ts";
import { EvaluatedCells, FinalGains } from "./evaluated_cells.tsx";
import { Outlines } from "./outlines.tsx";
import { Islanders, TilePicture, Tiles, at } from "./placed.tsx";
import { nextStop, reachableStop } from "./keyboard_navigation.ts";
import { View, type ViewRef } from "./view.ts";
import { ZoomButtons } from "./zoom.tsx";

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
  /** The keys of what can be chosen without moving the view. */
  const [inSight, setInSight] = useState("");
  const { game, tileset } = session;
  const cells = game ? walkedCells(game) : [];

  useLayoutEffect(() => {
    if (!frame.current || !drawn.current) return;
    const { current } = frame;
    const view = new View(current, drawn.current, () => coversOf(current), seeWhatIsInSight);
    viewRef.current = view;
    const ended = gestures(current, view, (event) => wheelTurns(event, session, view));
    const resized = new ResizeObserver(() => {
      view.resized();
      view.covered();
      seeWhatIsInSight();
    });
    resized.observe(current);
    if (messages.current) resized.observe(messages.current);
    return () => {
      ended();
      resized.disconnect();
      viewRef.current = null;
    };
  }, [session]);

  useEffect(() => viewRef.current?.fit(cells), [cells.map(keyOf).join(" ")]);

  const isActive = (session.replayed === null || session.isRecap) && game?.status === "active";
  useEffect(() => {
    if (game && !isActive) viewRef.current?.showWhole();
  }, [isActive, session.replayed === null]);

  const aim = aimOf(session, pictures);
  useEffect(() => {
    if (aim === undefined) return;
    // Where the page scrolls, the board may be out of sight as a whole.
    if (aim?.isChoice) frame.current?.scrollIntoView({ block: "nearest" });
    viewRef.current?.aimAt(aim);
    seeWhatIsInSight();
    // A new question begins with what is in sight, unless the focus is on the board.
    if (!frame.current?.contains(document.activeElement)) setActive(null);
  }, [JSON.stringify(aim)]);

  const { inspected, features } = session.inspection;
  useEffect(() => {
    const { current } = frame;
    // What is looked at is not under the words about it.
    if (inspected && current)
      viewRef.current?.uncover(
        inspected.cell,
        onFrame(current, messages.current?.querySelectorAll(".inspected")),
      );
  }, [inspected, features.length]);

  useEffect(() => {
    const { current } = frame;
    // It is not under the words about it.
    if (session.located && current)
      viewRef.current?.show(
        placesOf(session.located.diff),
        onFrame(current, messages.current?.querySelectorAll(".located")),
      );
  }, [session.located]);

  useEffect(() => {
    const found = game ? cellsOfIslanders(game, session.pointedOut) : [];
    if (found.length > 0) viewRef.current?.showMostOf(found, figureTile());
  }, [session.pointedOut]);

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

  function seeWhatIsInSight(): void {
    setInSight(viewRef.current?.inSight.map(({ key }) => key).join(" ") ?? "");
  }

  function hover(event: PointerEvent): void {
    const cell =
      event.pointerType === "mouse"
        ? (viewRef.current?.cellAt({ x: event.clientX, y: event.clientY }) ?? null)
        : null;
    if (cell?.x !== hovered?.x || cell?.y !== hovered?.y) setHovered(cell);
  }

  const kindOf = (cell: Cell, segment: number): string => kindAt(game, tileset, cell, segment);
  const seen = new Set(inSight.split(" "));
  const reachable = reachableStop(game, choicesShown(session), active, suggestedStop(session), seen);
  return (
    <section class="board" aria-label={text.game.board} data-part="board" onKeyDown={steer}>
      <p id={help} class="unseen">
        {text.walk.help}
      </p>
      <div ref={messages} class="messages">
        {(inspected || session.located || isActive) && (
          <div class="told">
            {inspected ? (
              <Inspected session={session} />
            ) : session.located ? (
              <Located session={session} step={session.located} />
            ) : (
              <News session={session} />
            )}
          </div>
        )}
        <Notices session={session} />
      </div>
      <ZoomButtons
        viewRef={viewRef}
        hasOthers={aim?.isChoice === true && aim.targets.some(({ key }) => !seen.has(key))}
        fit={() => viewRef.current?.showWhole()}
      />
      <Flights session={session} />
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
          <FinalGains game={game} steps={session.recent} />
        </g>
      </svg>
    </section>
  );
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

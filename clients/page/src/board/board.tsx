/** The board: what lies there, what may be chosen, and the view of it. */

import type { JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { text } from "../messages/index.ts";
import { type Cell, SIZE, cellOf, cellsOfIslanders, keyOf } from "../model/cells.ts";
import { fittingRotation } from "../model/choices.ts";
import { walkedCells } from "../model/described_cells.ts";
import { lastTiles, placesOf } from "../model/news.ts";
import { useObservable } from "../model/observable.ts";
import { Located } from "../parts/located.tsx";
import { News } from "../parts/news.tsx";
import { Notices } from "../parts/notices.tsx";
import { kindAt } from "../model/event_sentences.ts";
import { rotate } from "../session/actions.ts";
import type { GameSession } from "../session/game_session.ts";
import { aimOf, choicesShown, figureTile, spotsShown, suggestedStop } from "./aim.ts";
import { Cells, SpotChoices } from "./choices.tsx";
import { coversOf, onFrame } from "./covers.ts";
import { Flights } from "./flights.tsx";
import { gestures } from "./gestures.ts";
import { Inspected } from "./inspected.tsx";
import type { Pictures } from "./pictures.ts";
import { EvaluatedCells, FinalGains } from "./evaluated_cells.tsx";
import { Lens, tileForLens } from "./lens.tsx";
import { Outlines } from "./outlines.tsx";
import { Islanders, TilePicture, Tiles, at } from "./placed.tsx";
import { nextStop, reachableStop } from "./keyboard_navigation.ts";
import { View, type ViewRef } from "./view.ts";
import { ZoomButtons } from "./zoom.tsx";

/** The keys of what can be chosen without moving the view, how large a tile is, and the frame. */
const NOTHING_SEEN = { inSight: "", tileSize: Infinity, width: 0, height: 0, above: 0 };

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
  const [seen, setSeen] = useState(NOTHING_SEEN);
  /** The version of the game at which the lens was closed. */
  const [closedAt, setClosedAt] = useState<number | null>(null);
  const isLensAskedFor = useRef(false);
  /** Whether a touch, which ended it, began while the board showed what others did. */
  const wasTelling = useRef(false);
  const { game, tileset } = session;
  const cells = game ? walkedCells(game) : [];

  useLayoutEffect(() => {
    if (!frame.current || !drawn.current) return;
    const { current } = frame;
    const view = new View(current, drawn.current, () => coversOf(current), look);
    viewRef.current = view;
    const ended = gestures(current, view, (event) => wheelTurns(event, session, view));
    const resized = new ResizeObserver(() => {
      view.resized();
      view.covered();
      look();
    });
    resized.observe(current);
    if (messages.current) resized.observe(messages.current);
    return () => {
      ended();
      resized.disconnect();
      viewRef.current = null;
    };
  }, [session]);

  useEffect(
    () => viewRef.current?.fit(cells, Object.keys(game?.board ?? {}).map(cellOf)),
    [cells.map(keyOf).join(" ")],
  );

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
    look();
    // A new question begins with what is in sight, unless the focus is on the board.
    if (!document.activeElement?.closest(".frame, .lens")) setActive(null);
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
    const target = event.target as Element;
    // What was tapped may have gone already, by what the tap did.
    if (!view || !target.isConnected || target.closest(".choice, .islander")) return;
    const point = view.boardPoint({ x: event.clientX, y: event.clientY });
    const cell = { x: Math.floor(point.x / SIZE), y: Math.floor(point.y / SIZE) };
    if (enlarged && !isClosed) return closeLens();
    const placed = game?.board[keyOf(cell)];
    if (placed) session.inspect(cell, pictures.nearestSegment(placed, cell, point));
    else if (choicesShown(session).cells.size > 0 && !wasTelling.current) session.misplace();
    else if (session.inspection.inspected) session.inspect(null);
  }

  function steer(event: KeyboardEvent): void {
    const next = event.shiftKey ? null : nextStop(event.key, event.currentTarget as Element);
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
    if (!stop.closest(".lens")) viewRef.current?.reveal(cell);
    session.walk(cell);
  }

  /** Sees what the view shows now. */
  function look(): void {
    if (!viewRef.current || !frame.current) return;
    const { inSight, tileSize } = viewRef.current;
    const { width, height, top } = frame.current.getBoundingClientRect();
    const above = top - (frame.current.closest(".play")?.getBoundingClientRect().top ?? top);
    const now = { inSight: inSight.map(({ key }) => key).join(" "), tileSize, width, height, above };
    setSeen((before) => (JSON.stringify(before) === JSON.stringify(now) ? before : now));
  }

  function closeLens(): void {
    isLensAskedFor.current = false;
    setClosedAt(game?.version ?? null);
  }

  function hover(event: PointerEvent): void {
    const cell =
      event.pointerType === "mouse"
        ? (viewRef.current?.cellAt({ x: event.clientX, y: event.clientY }) ?? null)
        : null;
    if (cell?.x !== hovered?.x || cell?.y !== hovered?.y) setHovered(cell);
  }

  const kindOf = (cell: Cell, segment: number): string => kindAt(game, tileset, cell, segment);
  const inSight = new Set(seen.inSight.split(" "));
  const enlarged = tileForLens(session, pictures, seen.tileSize);
  const isClosed = enlarged !== null && closedAt === game.version;
  const suggested = suggestedStop(session);
  const next = reachableStop(game, choicesShown(session), active, suggested, inSight);
  const onBoard = spotsShown(session, pictures, enlarged ? "retrieve" : undefined);
  // What is in a closed lens is reached by what opens it.
  const reachable = isClosed && onBoard.every(({ choice }) => choice.key !== next) ? keyOf(enlarged) : next;
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
        hasOthers={aim?.isChoice === true && aim.targets.some(({ key }) => !inSight.has(key))}
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
        onPointerDown={() => {
          wasTelling.current = session.told !== null;
          session.stopTelling();
        }}
        onPointerMove={hover}
        onPointerLeave={() => setHovered(null)}
        onClick={inspect}
      >
        <g ref={drawn} class="drawn">
          <Tiles
            game={game}
            pictures={pictures}
            recent={session.recent}
            last={lastTiles(session.shownSteps, game.players.length)}
          />
          <EvaluatedCells steps={session.recent} />
          <Ghost session={session} pictures={pictures} hovered={hovered} />
          <Cells
            session={session}
            pictures={pictures}
            reachable={reachable}
            closed={isClosed ? enlarged : null}
            onEnlarge={() => {
              isLensAskedFor.current = true;
              setClosedAt(null);
            }}
          />
          <Islanders
            game={game}
            pictures={pictures}
            recent={session.recent}
            pointedOut={session.pointedOut}
            kindOf={kindOf}
            onInspect={(cell, segment) => session.inspect(cell, segment)}
          />
          <Outlines game={game} outlines={session.outlines} />
          <SpotChoices session={session} spots={onBoard} reachable={reachable} />
          <FinalGains game={game} steps={session.recent} tileSize={seen.tileSize} />
        </g>
      </svg>
      {enlarged && !isClosed && viewRef.current && (
        <Lens
          session={session}
          pictures={pictures}
          surroundings={{ ...seen, tile: viewRef.current.boxOf(enlarged) }}
          reachable={reachable}
          takesFocus={isLensAskedFor.current}
          onFocus={focus}
          onClose={closeLens}
        />
      )}
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

/** The tile to place: a tap turns it, and it can be dragged onto the board. */

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { SLACK } from "../board/gestures.ts";
import type { Pictures } from "../board/pictures.ts";
import type { Point, ViewRef } from "../board/view.ts";
import { text } from "../messages/index.ts";
import { keyOf, sameCell } from "../model/cells.ts";
import type { CellChoice } from "../model/choices.ts";
import { tileInWords, tilesOf } from "../model/tileset.ts";
import { choose, rotate } from "../session/actions.ts";
import type { GameSession } from "../session/game_session.ts";
import { TileFace } from "./tile_face.tsx";

interface CurrentTileProps {
  readonly session: GameSession;
  readonly pictures: Pictures;
  readonly tile: string;
  readonly viewRef: ViewRef;
}

export function CurrentTile({ session, pictures, tile, viewRef }: CurrentTileProps): JSX.Element | null {
  const start = useRef<Point | null>(null);
  const hasMoved = useRef(false);
  const [dragged, setDragged] = useState<Point | null>(null);
  const type = session.tileset && tilesOf(session.tileset).get(tile);
  if (!type) return null;
  const { rotation } = session.selection;
  const label = tileInWords(type, rotation);
  const turns = session.canTurn ? text.actionBar.rotate : undefined;

  function down(event: PointerEvent & { currentTarget: Element }): void {
    start.current = { x: event.clientX, y: event.clientY };
    hasMoved.current = false;
    viewRef.current?.hold();
    event.currentTarget.setPointerCapture(event.pointerId);
  }

  /** What may be chosen under a point; null where nothing fits, undefined beside the board. */
  function choiceAt({ x, y }: Point): CellChoice | null | undefined {
    const cell = document.elementFromPoint(x, y)?.closest(".frame") && viewRef.current?.cellAt({ x, y });
    return cell && (session.choices.cells.get(keyOf(cell)) ?? null);
  }

  function move({ clientX: x, clientY: y }: PointerEvent): void {
    if (!start.current) return;
    if (Math.hypot(x - start.current.x, y - start.current.y) > SLACK) hasMoved.current = true;
    if (!hasMoved.current) return;
    const choice = choiceAt({ x, y });
    if (!choice) session.selection.cell && session.deselect();
    else if (!sameCell(choice.cell, session.selection.cell)) choose.cell(session, choice.cell);
    setDragged(choice ? null : { x, y });
  }

  function up({ clientX: x, clientY: y }: PointerEvent): void {
    if (hasMoved.current && choiceAt({ x, y }) === null) session.misplace();
    end();
  }

  function end(): void {
    start.current = null;
    viewRef.current?.release();
    setDragged(null);
  }

  return (
    <>
      <button
        class="current-tile"
        aria-label={turns ? `${label}. ${turns}` : label}
        title={turns}
        disabled={session.isPending}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={end}
        onClick={() => hasMoved.current || rotate(session)}
      >
        <TileFace pictures={pictures} tile={tile} rotation={rotation} label={label} />
      </button>
      {dragged && (
        <div class="dragged" style={{ left: `${dragged.x}px`, top: `${dragged.y}px` }} aria-hidden="true">
          <TileFace pictures={pictures} tile={tile} rotation={rotation} label="" />
        </div>
      )}
    </>
  );
}
